import { execFileSync } from 'node:child_process'
import { accessSync, chmodSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installNpmTool, TOOLS_DIRECTORY } from './install-npm-tool.ts'
import { installSystemPackage } from './install-system-package.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** For a browser that is nobody's: no sandbox in a container, no talk with its maker. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** The system's browser, Debian's package for root, npm's for everyone else. */
export function findChromium(): string {
  return locate() ?? fromSystemPackage() ?? fromNpm()
}

function locate(): string | null {
  const directories = (process.env.PATH ?? '').split(delimiter)
  const candidates = directories.flatMap((directory) => NAMES.map((name) => join(directory, name)))
  const onMac = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return [...candidates, onMac].find(isExecutable) ?? null
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function fromSystemPackage(): string | null {
  return installSystemPackage('chromium') ? locate() : null
}

/** The package expects its libraries and fonts where a cloud function would have them: a launcher says where they are. Whoever starts it may name other fonts. */
function fromNpm(): string {
  const folder = installNpmTool('@sparticuz/chromium', '153.0.0')
  const unpacked = join(TOOLS_DIRECTORY, 'chromium')
  const launcher = join(unpacked, 'chromium-with-libraries')
  if (existsSync(launcher)) return launcher
  mkdirSync(unpacked, { recursive: true })
  const script = `
    const { inflate } = await import(${JSON.stringify(join(folder, 'build/index.js'))})
    for (const name of ['chromium.br', 'fonts.tar.br', 'swiftshader.tar.br', 'al2023.tar.br'])
      await inflate(${JSON.stringify(`${folder}/bin/`)} + name)`
  execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, TMPDIR: unpacked },
  })
  const fonts = join(unpacked, 'fonts.conf')
  writeFileSync(
    fonts,
    `<fontconfig><dir>${unpacked}/fonts</dir><cachedir>${unpacked}/font-cache</cachedir></fontconfig>`,
  )
  const environment = `LD_LIBRARY_PATH="${unpacked}/al2023/lib" FONTCONFIG_FILE="\${FONTCONFIG_FILE:-${fonts}}"`
  writeFileSync(launcher, `#!/bin/sh\n${environment} exec "${unpacked}/chromium" "$@"\n`)
  chmodSync(launcher, 0o755)
  return launcher
}
