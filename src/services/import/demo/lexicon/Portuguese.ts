import { items, nouns, qualities } from "./Lexicon.ts"
import type { Lexicon } from "./Lexicon.ts"

export const Portuguese: Lexicon = {
  density: 1.05,
  space: " ",
  shopNames: items(`{} | {} | Loja {} | Casa {} | Ateliê {} | Empório {} | Espaço {}`),
  nouns: nouns(`
    Vestido envelope | Blusa de linho | Saia plissada | Casaco de tricô
    Camisa social | Moletom | Calça chino | Jaqueta
    Tênis | Botas | Sandálias | Chinelos
    Colar | Anel | Brincos | Pulseira
    Bolsa de couro | Mochila | Carteira | Mala de bordo
    Sérum facial | Creme noturno | Protetor labial | Máscara de argila
    Magnésio em cápsulas | Chá calmante | Almofada térmica
    Tapete de ioga | Legging esportiva | Halteres | Capacete de bicicleta
    Barraca | Saco de dormir | Garrafa térmica | Lanterna de cabeça
    Luminária de mesa | Almofada | Vela aromática | Espelho redondo
    Sofá | Mesa de centro | Poltrona | Estante
    Frigideira de ferro | Faca do chef | Jogo de pratos | Jarra
    Vaso de barro | Tesoura de poda | Churrasqueira | Sementes de flores
    Azeite de oliva | Chocolate amargo | Mel | Castanhas
    Café em grãos | Chá verde | Prensa francesa
    Body de bebê | Saco de dormir de bebê | Canguru | Babador
    Jogo de tabuleiro | Quebra-cabeça | Pelúcia | Trem de madeira
    Cama para cachorro | Arranhador | Peitoral
    Caixa de som | Fones sem fio | Relógio esportivo
    Capinha de celular | Carregador | Suporte de mesa
    Tapetes de carro | Capacete de moto | Luvas de moto
    Aquarela | Caderno | Novelo de lã | Caneta-tinteiro
    Livro ilustrado | Disco de vinil | Diário guiado
    Caixa de presente | Cartão | Enfeites de Natal`),
  epithets: [],
  qualities: qualities(`
    em algodão orgânico | em linho lavado | com bolsos | tamanho grande
    sem perfume | para pele sensível | com rosa mosqueta
    para iniciantes | à prova d'água | com bolsa
    em madeira maciça | kit com 2 | feito à mão
    sem glúten | 250 g | de produção artesanal
    com carga rápida | USB-C | 2ª geração
    a partir de 3 anos | 500 peças | edição especial`),
  colors: items(`Verde sálvia | Azul-noite | Cru | Preto | Ferrugem | Rosa antigo | Areia`),
  extras: items(
    `Frete grátis | Ideia de presente | Feito no Brasil | Mais vendido | De volta ao estoque | Edição limitada`
  ),
  headlines: items(`
    {noun}: {percent}% de desconto
    Frete grátis em todo o país
    Novidade na {shop}
    Mais de {count} avaliações cinco estrelas
    {noun} | {shop}
    Últimas unidades!`),
  openers: items(`
    {noun}: finalmente de volta! ✨
    Você também procurava por isso?
    {percent}% em todo o site até domingo! 🎉
    Menos coisas, mais bem-feitas: foi assim que a {shop} começou.
    «Comprei um e voltei para buscar mais dois», conta a Conceição.`),
  sentences: items(`
    Criado em Curitiba e produzido em pequenas séries.
    ✅ Troca grátis em até 30 dias
    Mais de {count} pessoas já experimentaram.
    Materiais naturais, escolhidos com atenção, que duram muitos anos.
    🚚 Enviado em 24 horas
    Cada peça é conferida à mão antes de sair.
    Pague em três vezes sem juros.
    ⭐⭐⭐⭐⭐ «Ainda mais bonito do que nas fotos.»
    É presente? A embalagem é por nossa conta.
    Dúvidas? Nossa equipe responde a todas as mensagens.`),
  closers: items(`
    Conheça a {shop}.
    👉 Peça hoje mesmo.
    Restam só {count}!`)
}
