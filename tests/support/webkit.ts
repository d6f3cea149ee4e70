import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Builder, type WebDriver } from 'selenium-webdriver'
import { inject } from 'vitest'
import type { FontWorld } from './font-worlds.ts'
import { freePort } from './free-port.ts'

interface WebKitOptions {
  /** The fonts of the visitor's device; the system's are hidden. */
  fonts?: FontWorld | undefined
  /** `host:port` of the proxy for https; localhost is reached directly. */
  proxy?: string | undefined
  /** Otherwise a page needs a click to open windows. */
  opensWindows?: boolean
}

export interface WebKit {
  /** A new browser without data of the one before. One at a time: the driver cannot do more. */
  open(): Promise<WebDriver>
  close(): Promise<void>
}

/** The toolbar must not keep a window from being as narrow as a phone. */
const GTK_STYLE = '* { min-width: 0; padding: 0; margin: 0; font-size: 6px } entry { min-width: 5px }'
/** What the window adds to the height of the page. */
export const WEBKIT_TOOLBAR_PX = 38

/** WebKitGTK's small browser over WebDriver, on a virtual screen. */
export async function launchWebKit({
  fonts = 'liberation',
  proxy,
  opensWindows = false,
}: WebKitOptions = {}): Promise<WebKit> {
  const programs = inject('webkit')
  if (programs === null) throw new Error('WebKit is not installed')
  const home = mkdtempSync(join(tmpdir(), 'portico-webkit-'))
  mkdirSync(join(home, 'gtk-3.0'))
  writeFileSync(join(home, 'gtk-3.0/gtk.css'), GTK_STYLE)
  const screen = spawn(programs.display, ['-displayfd', '3', '-screen', '0', '2000x2000x24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const display = await readDisplay(screen.stdio[3] as Readable)
  const port = await freePort()
  // A test that timed out leaves its session open: the next test replaces it.
  const driver = spawn(programs.driver, [`--port=${port}`, '--replace-on-new-session'], {
    stdio: 'ignore',
    env: {
      ...process.env,
      DISPLAY: display,
      FONTCONFIG_FILE: inject('fontConfigurations')[fonts],
      HOME: home,
      XDG_CONFIG_HOME: home,
      XDG_CACHE_HOME: home,
      XDG_DATA_HOME: home,
      WEBKIT_DISABLE_DMABUF_RENDERER: '1',
    },
  })
  const address = `http://127.0.0.1:${port}`
  await untilAnswers(`${address}/status`, driver)
  const capabilities = {
    browserName: 'MiniBrowser',
    acceptInsecureCerts: true,
    'webkitgtk:browserOptions': {
      binary: programs.browser,
      // The protocol's own way to set a proxy is accepted and has no effect.
      args: [
        '--automation',
        ...(opensWindows ? ['--javascript-can-open-windows-automatically=true'] : []),
        ...(proxy === undefined ? [] : [`--proxy=http://${proxy}`, '--ignore-host=localhost']),
      ],
    },
  }
  return {
    open: () => new Builder().usingServer(address).withCapabilities(capabilities).build(),
    close: async () => {
      for (const child of [driver, screen]) await end(child)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** The screen's number comes in two writes. */
async function readDisplay(output: Readable): Promise<string> {
  let text = ''
  for await (const chunk of output) {
    text += chunk
    if (text.endsWith('\n')) return `:${text.trim()}`
  }
  throw new Error('the screen ended before it was there')
}

async function untilAnswers(url: string, driver: ChildProcess): Promise<void> {
  while (driver.exitCode === null) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the WebKit driver ended before it answered')
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.kill()
  await ended
}
