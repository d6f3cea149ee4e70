import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Resvg } from '@resvg/resvg-js'
import { DEFAULT_BRAND_NAME } from '../src/contract/site.ts'
import { iconSvg } from '../src/design/icon.ts'
import { sharePictureSvg } from '../src/design/share-picture.ts'
import { HERO } from '../src/landing/content/page.ts'
import type { Pictures } from '../src/server/landing/build-output.ts'

/** The page's own font file has every weight in a format that the renderer cannot read. */
const require = createRequire(import.meta.url)
const TYPEFACE = require.resolve(
  '@expo-google-fonts/instrument-sans/600SemiBold/InstrumentSans_600SemiBold.ttf',
)

/** Draws icons and the picture for shared links into the built assets, and stores their names for the server. */
export function drawPictures(clientDirectory: string): void {
  const save = (name: string, extension: string, content: string | Buffer): string => {
    const hash = createHash('sha256').update(content).digest('base64url').slice(0, 8)
    const file = `assets/${name}-${hash}.${extension}`
    writeFileSync(join(clientDirectory, file), content)
    return `/${file}`
  }
  const tile = iconSvg({ bleed: true })
  const pictures: Pictures = {
    icon: save(
      'icon',
      'ico',
      toIco([32, 48].map((size) => [size, rasterize(iconSvg({ bleed: false }), size)])),
    ),
    touchIcon: save('touch-icon', 'png', rasterize(tile, 180)),
    icon192: save('icon-192', 'png', rasterize(tile, 192)),
    icon512: save('icon-512', 'png', rasterize(tile, 512)),
    share: save('share', 'png', drawShared(DEFAULT_BRAND_NAME)),
    shareUnnamed: save('share-unnamed', 'png', drawShared(null)),
  }
  writeFileSync(join(clientDirectory, 'pictures.json'), JSON.stringify(pictures))
}

function drawShared(name: string | null): Buffer {
  return rasterize(sharePictureSvg({ name, headline: HERO.headline }), 1200)
}

function rasterize(svg: string, width: number): Buffer {
  return new Resvg(svg, {
    fitTo: { mode: 'width', value: width },
    font: { loadSystemFonts: false, fontFiles: [TYPEFACE] },
  })
    .render()
    .asPng()
}

/** An icon file: six bytes of header, a directory of sixteen bytes per picture, then the pictures as PNG. */
function toIco(pictures: [size: number, png: Buffer][]): Buffer {
  const head = Buffer.alloc(6 + 16 * pictures.length)
  head.writeUInt16LE(1, 2)
  head.writeUInt16LE(pictures.length, 4)
  let offset = head.length
  for (const [index, [size, png]] of pictures.entries()) {
    const entry = 6 + 16 * index
    head.writeUInt8(size, entry)
    head.writeUInt8(size, entry + 1)
    head.writeUInt16LE(1, entry + 4)
    head.writeUInt16LE(32, entry + 6)
    head.writeUInt32LE(png.length, entry + 8)
    head.writeUInt32LE(offset, entry + 12)
    offset += png.length
  }
  return Buffer.concat([head, ...pictures.map(([, png]) => png)])
}
