import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Resvg } from '@resvg/resvg-js'
import { iconSvg } from '../src/design/icon.ts'
import { sharePictureSvg } from '../src/design/share-picture.ts'
import type { Pictures } from '../src/server/landing/pictures.ts'

/** Draws icons and the picture for shared links into the built assets, and writes down their names for the server. */
export function drawPictures(clientDirectory: string): void {
  const save = (name: string, extension: string, content: string | Buffer): string => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
    const file = `assets/${name}-${hash}.${extension}`
    writeFileSync(join(clientDirectory, file), content)
    return `/${file}`
  }
  const tile = iconSvg({ bleed: true })
  const pictures: Pictures = {
    icon: save('icon', 'svg', iconSvg({ bleed: false })),
    iconLegacy: save('icon', 'ico', toIco(rasterize(iconSvg({ bleed: false }), 32))),
    touchIcon: save('touch-icon', 'png', rasterize(tile, 180)),
    icon192: save('icon-192', 'png', rasterize(tile, 192)),
    icon512: save('icon-512', 'png', rasterize(tile, 512)),
    share: save('share', 'png', rasterize(sharePictureSvg(), 1200)),
  }
  writeFileSync(join(clientDirectory, 'pictures.json'), JSON.stringify(pictures))
}

function rasterize(svg: string, width: number): Buffer {
  return new Resvg(svg, { fitTo: { mode: 'width', value: width }, font: { loadSystemFonts: false } })
    .render()
    .asPng()
}

/** An icon file with one 32-pixel PNG in it: a directory of one entry, then the picture. */
function toIco(png: Buffer): Buffer {
  const head = Buffer.alloc(22)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(1, 4)
  head.writeUInt8(32, 6)
  head.writeUInt8(32, 7)
  head.writeUInt16LE(1, 10)
  head.writeUInt16LE(32, 12)
  head.writeUInt32LE(png.length, 14)
  head.writeUInt32LE(head.length, 18)
  return Buffer.concat([head, png])
}
