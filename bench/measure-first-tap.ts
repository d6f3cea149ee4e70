import { type Browser, chromium } from 'playwright-core'
import { CHROMIUM_FLAGS, findChromium } from '../tests/support/find-chromium.ts'
import { median } from './measure-throughput.ts'

/**
 * Milliseconds from a visitor's first tap, which runs React for the first time, to the frame with the dialog. The
 * scripts are prefetched, as on any page after a moment.
 */
export async function measureFirstTap(page: string, runs: number, slowdown: number): Promise<number> {
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: CHROMIUM_FLAGS,
  })
  try {
    const times: number[] = []
    for (let run = 0; run < runs; run++) times.push(await tapOnce(browser, page, slowdown))
    return median(times)
  } finally {
    await browser.close()
  }
}

async function tapOnce(browser: Browser, url: string, slowdown: number): Promise<number> {
  const context = await browser.newContext({
    viewport: { width: 375, height: 812 },
    hasTouch: true,
    isMobile: true,
  })
  try {
    const page = await context.newPage()
    const session = await context.newCDPSession(page)
    await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
    await page.goto(url)
    await page.waitForFunction(() => document.querySelectorAll('link[rel=modulepreload]').length > 0)
    await page.waitForLoadState('networkidle')
    const link = page.locator('a[data-legal=privacidade]')
    await link.scrollIntoViewIfNeeded()
    const answered = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let tapped = 0
          addEventListener('pointerdown', (event) => (tapped = event.timeStamp), {
            once: true,
            capture: true,
          })
          new MutationObserver((_changes, observer) => {
            if (document.querySelector('dialog[open]') === null) return
            observer.disconnect()
            requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - tapped)))
          }).observe(document, {
            subtree: true,
            childList: true,
            attributes: true,
            attributeFilter: ['open'],
          })
        }),
    )
    await link.tap()
    return await answered
  } finally {
    await context.close()
  }
}
