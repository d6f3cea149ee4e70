import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

/** The fonts of a visitor's device: Arial's widths, an Android phone, a plain Debian. */
export const FONT_WORLDS = ['liberation', 'roboto', 'dejavu'] as const
export type FontWorld = (typeof FONT_WORLDS)[number]

interface World {
  /** The family for `sans-serif`, `system-ui`, Arial and all missing ones. */
  family: string
  files: string[]
  rules?: string
}

const require = createRequire(import.meta.url)
const arimo = (file: string) => join(require.resolve('@expo-google-fonts/arimo/package.json'), '..', file)
const roboto = (file: string) => join(require.resolve('@expo-google-fonts/roboto/package.json'), '..', file)
const dejavu = (file: string) => join(require.resolve('dejavu-fonts-ttf/package.json'), '../ttf', file)

const WORLDS: Record<FontWorld, World> = {
  // Liberation Sans is Arimo under another name, with the same widths.
  liberation: {
    family: 'Liberation Sans',
    files: [arimo('400Regular/Arimo_400Regular.ttf'), arimo('700Bold/Arimo_700Bold.ttf')],
    rules:
      renameFace('Arimo-Regular', 'Liberation Sans', 'Liberation Sans', 'LiberationSans') +
      renameFace('Arimo-Bold', 'Liberation Sans', 'Liberation Sans Bold', 'LiberationSans-Bold'),
  },
  roboto: {
    family: 'Roboto',
    files: ['400Regular/Roboto_400Regular', '500Medium/Roboto_500Medium', '700Bold/Roboto_700Bold'].map(
      (file) => roboto(`${file}.ttf`),
    ),
  },
  dejavu: { family: 'DejaVu Sans', files: [dejavu('DejaVuSans.ttf'), dejavu('DejaVuSans-Bold.ttf')] },
}

export interface FontConfigurations {
  /** For `FONTCONFIG_FILE` in a browser's environment. */
  files: Record<FontWorld, string>
  remove(): void
}

/** One fontconfig file per set of fonts, without the system's, with Debian's hinting. */
export function writeFontConfigurations(): FontConfigurations {
  const folder = mkdtempSync(join(tmpdir(), 'portico-fonts-'))
  const write = (name: FontWorld) => {
    const fonts = join(folder, name)
    mkdirSync(fonts)
    for (const file of [...WORLDS[name].files, dejavu('DejaVuSansMono.ttf')]) {
      cpSync(file, join(fonts, basename(file)))
    }
    const configuration = join(folder, `${name}.conf`)
    writeFileSync(configuration, toFontConfig(WORLDS[name], fonts, join(folder, `${name}-cache`)))
    return configuration
  }
  return {
    files: { liberation: write('liberation'), roboto: write('roboto'), dejavu: write('dejavu') },
    // A browser that is ending may still write to its cache.
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  }
}

function toFontConfig({ family, rules = '' }: World, fonts: string, cache: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <cachedir>${cache}</cachedir>${rules}
  <match>
    <test name="family"><string>monospace</string></test>
    <edit name="family" mode="assign" binding="strong"><string>DejaVu Sans Mono</string></edit>
  </match>
  <match><edit name="hintstyle"><const>hintslight</const></edit></match>
  <match><edit name="family" mode="append_last"><string>${family}</string></edit></match>
</fontconfig>
`
}

function renameFace(from: string, family: string, fullName: string, postscriptName: string): string {
  const assign = (name: string, value: string) =>
    `<edit name="${name}" mode="assign"><string>${value}</string></edit>`
  return `
  <match target="scan">
    <test name="postscriptname"><string>${from}</string></test>
    ${assign('family', family)}${assign('fullname', fullName)}${assign('postscriptname', postscriptName)}
  </match>`
}
