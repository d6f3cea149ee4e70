import { globSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isExecutable } from './find-chromium.ts'
import { installSystemPackage } from './install-system-package.ts'

export interface WebKitPrograms {
  /** Speaks WebDriver and starts the browser. */
  driver: string
  browser: string
  /** Its screen: WebKitGTK has no headless mode. */
  display: string
}

/**
 * The system's WebKitGTK, or Debian's packages for root. No registry has it for an ordinary user: null, and the run
 * reports it.
 */
export function findWebKit(): WebKitPrograms | null {
  const found = locate() ?? (installSystemPackage('webkit2gtk-driver', 'xvfb') ? locate() : null)
  if (found === null) console.warn('WebKit is not installed and cannot be: its journeys are left out.')
  return found
}

function locate(): WebKitPrograms | null {
  const directories = (process.env.PATH ?? '').split(delimiter)
  const onPath = (name: string) =>
    directories.map((directory) => join(directory, name)).find(isExecutable) ?? null
  const driver = onPath('WebKitWebDriver')
  const display = onPath('Xvfb')
  const browser = globSync('/usr/lib/*/webkit{2gtk,gtk}-*/MiniBrowser').find(isExecutable) ?? null
  return driver === null || display === null || browser === null ? null : { driver, browser, display }
}
