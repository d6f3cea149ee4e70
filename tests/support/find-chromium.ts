import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installSystemPackage } from './install-system-package.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']

/** The system's browser, or Debian's package when we may install it. */
export function findChromium(): string {
  const found = locate()
  if (found !== null) return found
  installSystemPackage('chromium')
  return locate() ?? missing()
}

function locate(): string | null {
  const directories = (process.env.PATH ?? '').split(delimiter)
  const candidates = [
    ...directories.flatMap((directory) => NAMES.map((name) => join(directory, name))),
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  ]
  return candidates.find((file) => existsSync(file)) ?? null
}

function missing(): never {
  throw new Error('Chromium was not found and could not be installed')
}
