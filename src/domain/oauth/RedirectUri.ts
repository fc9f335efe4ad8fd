/** Where an app is sent back to (oauth.md 43). */

const maxCharacters = 2000
const forbidden = new Set(["javascript:", "data:", "file:", "vbscript:", "blob:", "about:", "ftp:", "ws:", "wss:"])
const loopback = new Set(["localhost", "127.0.0.1", "[::1]"])

export const isRegistrable = (text: string): boolean => {
  if (text.length > maxCharacters || !/^[\x21-\x7e]+$/.test(text) || /[#*\\]/.test(text)) return false
  const url = URL.parse(text)
  if (url === null || url.username !== "" || url.password !== "" || forbidden.has(url.protocol)) return false
  return url.protocol !== "http:" || loopback.has(url.hostname)
}
