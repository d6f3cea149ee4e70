import type { Page } from 'playwright-core'

/**
 * Checks a page at several widths, first at the current one, to which it returns: a resize lays everything out again,
 * which hides mistakes of the first layout.
 */
export async function atEachWidth(
  page: Page,
  widths: readonly number[],
  look: (width: number) => Promise<void>,
): Promise<void> {
  const { width: opened, height } = page.viewportSize() ?? { width: 0, height: 0 }
  await look(opened)
  for (const width of widths.filter((each) => each !== opened)) {
    await page.setViewportSize({ width, height })
    await look(width)
  }
  await page.setViewportSize({ width: opened, height })
}
