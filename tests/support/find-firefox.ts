import { delimiter, join } from 'node:path'
import { isExecutable } from './find-chromium.ts'
import { installSystemPackage } from './install-system-package.ts'

const NAMES = ['firefox-esr', 'firefox']

/**
 * The system's Firefox, or Debian's package for root. No registry has it for an ordinary user: null, and the run
 * reports it.
 */
export function findFirefox(): string | null {
  const found = locate() ?? (installSystemPackage('firefox-esr') ? locate() : null)
  if (found === null) console.warn('Firefox is not installed and cannot be: its journeys are left out.')
  return found
}

function locate(): string | null {
  const directories = (process.env.PATH ?? '').split(delimiter)
  const candidates = directories.flatMap((directory) => NAMES.map((name) => join(directory, name)))
  const onMac = '/Applications/Firefox.app/Contents/MacOS/firefox'
  return [...candidates, onMac].find(isExecutable) ?? null
}
