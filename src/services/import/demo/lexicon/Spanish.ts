import { items, nouns, qualities } from "./Lexicon.ts"
import type { Lexicon } from "./Lexicon.ts"

export const Spanish: Lexicon = {
  density: 1.05,
  space: " ",
  shopNames: items(`{} | {} | Casa {} | Taller {} | {} Madrid | La Tienda de {} | {} y Compañía | El Rincón de {}`),
  nouns: nouns(`
    Vestido cruzado | Blusa de lino | Falda plisada | Cárdigan
    Camisa oxford | Sudadera | Pantalón chino | Chaqueta
    Zapatillas | Botines | Sandalias | Alpargatas
    Collar | Anillo | Pendientes | Pulsera
    Bolso de mano | Mochila | Cartera | Maleta de cabina
    Sérum facial | Crema de noche | Bálsamo labial | Champú sólido
    Magnesio en cápsulas | Infusión relajante | Pistola de masaje
    Esterilla de yoga | Mallas deportivas | Mancuernas | Pala de pádel
    Tienda de campaña | Saco de dormir | Botella térmica | Frontal
    Lámpara de mesa | Cojín | Vela aromática | Espejo redondo
    Sofá | Mesa de centro | Sillón | Estantería
    Sartén de hierro | Cuchillo de cocinero | Vajilla | Jarra
    Maceta de barro | Tijeras de podar | Barbacoa | Semillas
    Aceite de oliva | Chocolate negro | Miel | Jamón en lonchas
    Café en grano | Té verde | Cafetera italiana
    Body de bebé | Saco para bebé | Portabebés | Babero
    Juego de mesa | Rompecabezas | Peluche | Tren de madera
    Cama para perro | Rascador para gatos | Arnés
    Altavoz | Auriculares inalámbricos | Reloj deportivo
    Funda de móvil | Cargador | Soporte de escritorio
    Alfombrillas de coche | Casco de moto | Guantes de moto
    Acuarelas | Cuaderno | Ovillo de lana | Pluma
    Libro ilustrado | Vinilo | Diario guiado
    Caja de regalo | Tarjeta | Piñata`),
  epithets: [],
  qualities: qualities(`
    de algodón orgánico | de lino lavado | con bolsillos | en tallas grandes
    sin perfume | para piel sensible | con rosa mosqueta
    para principiantes | resistente al agua | con funda
    de roble macizo | juego de 2 | hecho a mano
    sin gluten | 250 g | de cosecha propia
    con carga rápida | USB-C | de 2.ª generación
    desde 3 años | 500 piezas | edición especial`),
  colors: items(`Verde salvia | Azul noche | Crudo | Negro | Teja | Rosa palo | Arena`),
  extras: items(
    `Envío gratis | Idea para regalar | Hecho en España | Más vendido | De nuevo disponible | Edición limitada`
  ),
  headlines: items(`
    {noun}: {percent} % de descuento
    Envío gratis a partir de 50 €
    Novedad en {shop}
    Más de {count} opiniones de cinco estrellas
    {noun} | {shop}
    ¡Últimas unidades!`),
  openers: items(`
    {noun}: ¡por fin de vuelta! ✨
    ¿Todavía sin regalo? Tenemos una idea.
    ¡{percent} % en toda la tienda hasta el domingo! 🎉
    Menos cosas, mejor hechas: así empezó {shop}.
    «Lo compré para mi madre y acabé pidiendo otro», cuenta Begoña.`),
  sentences: items(`
    Diseñado en Valencia y hecho en series pequeñas por gente que conocemos.
    ✅ Devolución gratuita durante 30 días
    Más de {count} personas ya lo usan cada día.
    Materiales naturales que duran muchos años.
    🚚 Sale de nuestro almacén en 24 horas
    Revisamos cada pieza a mano antes de enviarla.
    Paga en tres plazos sin intereses.
    ⭐⭐⭐⭐⭐ «Más bonito todavía que en las fotos.»
    ¿Es un regalo? Lo envolvemos gratis y añadimos tu mensaje.
    ¿Dudas? Nuestro equipo contesta todos los mensajes.`),
  closers: items(`
    Descúbrelo en {shop}.
    👉 Pídelo hoy.
    ¡Solo quedan {count}!`)
}
