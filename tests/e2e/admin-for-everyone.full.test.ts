// Needs a browser: forced colours, text at 200 %, print and covered focus depend on layout.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertPixels } from '../support/admin-data.ts'
import { type AdminSite, startAdminSite } from '../support/admin-site.ts'
import { PHONE } from '../support/browser.ts'

let admin: AdminSite

beforeAll(async () => {
  admin = await startAdminSite()
  await insertPixels(admin.site.database.db, [
    { name: 'Chat', type: 'custom', pixel_id: null, is_active: false },
    { name: 'Meta Pixel Principal', code: '<script>fbq("init","482910377165024")</script>' },
  ])
})
afterAll(() => admin.close())

async function openDialog(page: Page, button: string): Promise<void> {
  await page.getByRole('button', { name: button }).click()
  await page.getByRole('dialog').waitFor()
}

async function leaveDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

const SCREENS: [string, (page: Page) => Promise<unknown>][] = [
  ['pixels', (page) => page.getByRole('button', { name: 'Ver código: Chat' }).click()],
  ['a new pixel', (page) => openDialog(page, 'Adicionar Pixel')],
  [
    'users',
    async (page) => {
      await leaveDialog(page)
      await page.getByRole('link', { name: 'Usuários Admin' }).click()
      await page.getByText('Super Admin').first().waitFor()
    },
  ],
  ['a new administrator', (page) => openDialog(page, 'Adicionar Admin')],
  [
    'own account',
    async (page) => {
      await leaveDialog(page)
      await page.getByRole('link', { name: 'Minha conta', exact: true }).click()
      await page.getByText('Esta sessão').waitFor()
    },
  ],
]

describe('forced colours', () => {
  /** Small elements that only stand out by a fill, and what is left of each without it. */
  const withoutEdge = () => {
    const hasEdge = (element: Element) => {
      const { borderTopWidth, borderTopStyle, outlineStyle, outlineWidth } = getComputedStyle(element)
      const isDrawn = (style: string, width: string) => style !== 'none' && Number.parseFloat(width) > 0
      return isDrawn(borderTopStyle, borderTopWidth) || isDrawn(outlineStyle, outlineWidth)
    }
    return [...document.querySelectorAll('[data-filled]')]
      .filter((element) => element.checkVisibility() && !hasEdge(element))
      .map((element) => element.textContent)
  }
  const markFilled = () => {
    for (const element of document.querySelectorAll('main *, [role="dialog"] *')) {
      const { backgroundColor, boxShadow } = getComputedStyle(element)
      const isFilled = !backgroundColor.endsWith(', 0)') || boxShadow !== 'none'
      const [only] = element.childNodes
      // A word on its own background; backgrounds of whole regions are excluded.
      if (isFilled && only instanceof Text && element.childNodes.length === 1)
        element.toggleAttribute('data-filled', true)
    }
    return document.querySelectorAll('[data-filled]').length
  }

  test('keep the edge of every badge and button', async () => {
    const { page, context } = await admin.visit()
    let seen = 0
    for (const [screen, open] of SCREENS) {
      await page.emulateMedia({ forcedColors: 'none' })
      await open(page)
      seen += await page.evaluate(markFilled)
      await page.emulateMedia({ forcedColors: 'active' })
      expect.soft(await page.evaluate(withoutEdge), screen).toEqual([])
    }
    expect(seen).toBeGreaterThan(8)
    await context.close()
  })
})

test('text at 200 % widens no screen of a phone, and is not cut', async () => {
  const { page, context } = await admin.visit({ options: PHONE })
  for (const [screen, open] of SCREENS) {
    await open(page)
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    const shown = await page.evaluate(() => {
      /** A visible line of its text that exceeds its box. */
      const isCut = (element: Element) => {
        const box = element.getBoundingClientRect()
        const text = document.createRange()
        text.selectNodeContents(element)
        return [...text.getClientRects()].some(
          (line) => line.top < box.bottom - 1 && line.bottom > box.top + 1 && line.right > box.right + 1,
        )
      }
      const root = document.documentElement
      return {
        beyond: root.scrollWidth - root.clientWidth,
        cut: [...document.querySelectorAll('h1, h2, h3, label, button, [role="dialog"] p')]
          .filter((element) => element.checkVisibility() && element.clientWidth > 1 && isCut(element))
          .map((element) => element.textContent),
      }
    })
    expect.soft(shown, screen).toEqual({ beyond: 0, cut: [] })
    await page.evaluate(() => {
      document.documentElement.style.fontSize = ''
    })
  }
  await context.close()
})

test('no focused element is below the header or the bottom bar', async () => {
  const { page, context } = await admin.visit({ options: { viewport: { width: 800, height: 600 } } })
  await page.getByRole('button', { name: 'Ver código: Chat' }).click()
  // It scrolls itself into view.
  await page.getByRole('region', { name: 'Código para: Chat' }).waitFor()
  await page.locator('a[href="#conteudo"]').focus()
  const covered: string[] = []
  let stops = 0
  for (; stops < 80; stops += 1) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement
      const { top, bottom } = element.getBoundingClientRect()
      const bar = document.querySelector('nav[aria-label="Menu principal"]') as HTMLElement
      const header = document.querySelector('header') as HTMLElement
      const isPart =
        bar.contains(element) || header.contains(element) || element.matches('a[href="#conteudo"]')
      const isCovered =
        bottom > bar.getBoundingClientRect().top + 1 || top < header.getBoundingClientRect().bottom - 1
      return {
        isEnd: element === document.body,
        isCovered: !isPart && isCovered,
        name: element.outerHTML.slice(0, 80),
      }
    })
    if (stop.isEnd) break
    if (stop.isCovered) covered.push(stop.name)
  }
  expect(stops).toBeGreaterThan(15)
  expect(covered).toEqual([])
  await context.close()
})

test('prints a long list with every row, and without controls', async () => {
  const names = Array.from({ length: 100 }, (_, index) => ({ name: `Impresso ${index}`, is_active: false }))
  await insertPixels(admin.site.database.db, names)
  const { page, context } = await admin.visit()
  await page.getByText('Impresso 99').waitFor()
  const rows = () => page.locator('table[aria-label] tbody').count()
  expect(await rows()).toBeLessThan(60)
  await page.emulateMedia({ media: 'print' })
  await expect.poll(rows).toBeGreaterThanOrEqual(100)
  expect(await page.getByRole('button', { name: 'Editar: Impresso 1', exact: true }).isVisible()).toBe(false)
  await page.emulateMedia({ media: 'screen' })
  await expect.poll(rows).toBeLessThan(60)
  await admin.site.database.db.deleteFrom('tracking_pixels').where('name', 'like', 'Impresso%').execute()
  await context.close()
})

test('bars are visible in forced colours on every background', async () => {
  const { page, context } = await admin.visit()
  await page.evaluate(() => {
    const names = [
      'ran',
      'blocked',
      'failed',
      'reached',
      'refused',
      'rejected',
      'unconfirmed',
      'waiting',
      'all',
      'part',
    ]
    for (const name of names) {
      const bar = document.createElement('span')
      bar.className = `bar-${name}`
      document.body.append(bar)
    }
  })
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  const edges = await page.evaluate(() => [
    ...new Set(
      [...document.querySelectorAll('body > [class^="bar-"]')].map((bar) => {
        const { outlineStyle, outlineColor } = getComputedStyle(bar)
        return `${outlineStyle} ${outlineColor}`
      }),
    ),
  ])
  const text = await page.evaluate(() => {
    const probe = document.createElement('span')
    probe.style.color = 'CanvasText'
    document.body.append(probe)
    return getComputedStyle(probe).color
  })
  expect(edges).toEqual([`solid ${text}`])
  await context.close()
})
