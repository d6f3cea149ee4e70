/** Modules of white around the symbol, as its standard asks (ISO/IEC 18004). */
const QUIET_ZONE = 4

/**
 * The code as a picture. The client puts the text behind `data:image/svg+xml;utf-8,` as it is, so it holds neither
 * `#` nor `%`: colours are named.
 */
export async function qrCodeSvg(content: string): Promise<string> {
  // Loaded when somebody enrols, which most servers see a few times in their life.
  const { create } = await import('qrcode')
  const { size, data } = create(content, { errorCorrectionLevel: 'M' }).modules
  const side = size + 2 * QUIET_ZONE
  let path = ''
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let run = 0
      while (column + run < size && data[row * size + column + run]) run++
      if (run > 0) path += `M${column + QUIET_ZONE} ${row + QUIET_ZONE}h${run}v1h-${run}z`
      column += run
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${side} ${side}" shape-rendering="crispEdges"><rect width="${side}" height="${side}" fill="white"/><path d="${path}" fill="black"/></svg>`
}
