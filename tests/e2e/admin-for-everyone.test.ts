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
      await page.getByRole('link', { name: 'Minha conta' }).click()
      await page.getByText('Esta sessão').waitFor()
    },
  ],
]

describe('forced colours', () => {
  /** Small things that stand out by a fill of ours alone, and what is left of each when the fills are gone. */
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
      // A word on a ground of its own; the grounds of whole regions are another matter.
      if (isFilled && only instanceof Text && element.childNodes.length === 1)
        element.toggleAttribute('data-filled', true)
    }
    return document.querySelectorAll('[data-filled]').length
  }

  test('leave every badge and button its edge', async () => {
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

test('letters of twice the size widen no screen of a phone, and none is cut', async () => {
  const { page, context } = await admin.visit({ options: PHONE })
  for (const [screen, open] of SCREENS) {
    await open(page)
    await page.evaluate(() => {
      document.documentElement.style.fontSize = '200%'
    })
    const shown = await page.evaluate(() => {
      /** A line of its text that can be seen and reaches beyond its box. */
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
