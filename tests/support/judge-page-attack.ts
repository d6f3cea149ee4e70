import { sumCounts } from '#server/stats/counts.ts'
import type { PageAttack } from './page-attacks.ts'
import type { TestApp } from './test-app.ts'

/** A page on which the hostile tag has run, in the page or isolated, in any browser. */
export interface AttackedPage {
  inPage<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>
  /** Runs where the tag is; rejects once its frame is gone. */
  inTag<Result, Argument>(
    work: (argument: Argument) => Result | Promise<Result>,
    argument: Argument,
  ): Promise<Result>
  inVictim<Result>(work: () => Result): Promise<Result>
  press(key: string): Promise<void>
  clickAt(x: number, y: number): Promise<void>
  /** Of the page and every frame in it. */
  addresses(): Promise<string[]>
  openerAddress(): Promise<string>
}

interface Target {
  app: TestApp
  /** The other tag's pixel. */
  pixel: string
  /** If the attack should work, its success is waited for. */
  isExpected: boolean
}

const PRIVATE = 'maria@exemplo.com'
/** Keys of one word; this many words in a row must arrive complete. */
const WORD = 'kkkkkkkkkk'
const WHOLE_WORDS = 4
const MAX_WORDS = 16
const ELSEWHERE = '/privacidade'

/** What an attack got, or null. */
export async function judgePageAttack(
  name: PageAttack,
  page: AttackedPage,
  target: Target,
): Promise<string | null> {
  const set = await page.inPage(() => document.documentElement.dataset.tags ?? '', null)
  const attack = () =>
    page
      .inTag(([each, aim]) => window.attackPage(each, aim), [name, { pixel: target.pixel, set }] as const)
      // The frame may be gone, and the page left.
      .catch(() => null)
  const field = (value: string | null) =>
    page.inPage((text) => {
      const input = document.querySelector<HTMLInputElement>('input[type="email"]')
      if (text !== null && input !== null) input.value = text
      input?.focus({ preventScroll: true })
      return input?.value ?? ''
    }, value)
  /** In tenths of a second. */
  const patience = target.isExpected ? 300 : 10
  const caught = () => page.inTag(() => window.caught.length, null).catch(() => 0)

  if (name === 'typing') {
    await field('')
    const got = attack()
    for (const key of PRIVATE) await page.press(key)
    return got
  }
  if (name === 'autofill') {
    await field(PRIVATE)
    return attack()
  }
  if (name === 'choice') {
    await attack()
    return page.inPage(
      () => (document.cookie.includes('portico_consent') ? null : 'the choice is gone'),
      null,
    )
  }
  if (name === 'draw' || name === 'overlay-link') {
    await attack()
    return page.inPage(
      (id) => {
        const link = document.querySelector('a[data-conversion]')?.getBoundingClientRect()
        const on = document.elementFromPoint((link?.x ?? 0) + 5, (link?.y ?? 0) + 5)
        return on?.closest(`${id}, iframe`) ? 'the page is covered' : null
      },
      `#false-${name === 'draw' ? 'login' : 'link'}`,
    )
  }
  if (name.startsWith('focus-') && name !== 'focus-click') {
    await field('')
    const before = await caught()
    const done = attack()
    const lost = await typeUntilHeld(page)
    await done
    if ((await caught()) > before) return 'keys'
    if (lost === null) return 'the keyboard'
    // A key may be lost only to a frame that is removed for it.
    const isGone = await page.inTag(() => false, null).catch(() => true)
    return lost > 0 && !isGone ? 'some keys' : null
  }
  if (name === 'focus-click') {
    await page.clickAt(0, 0)
    for (const key of 'key') await page.press(key)
    return (await caught()) > 0 ? 'a click' : null
  }
  if (name === 'navigate-tab' || name === 'leave-frame') {
    await attack()
    return settled(() => findAddress(page, ELSEWHERE), patience)
  }
  if (name === 'swap-frame') {
    await attack()
    await settled(() => findAddress(page, '?again'), patience)
    if (target.isExpected) return findAddress(page, '?again')
    // A frame is removed once its second document has loaded: what counts is whether it stays.
    await settled(async () => ((await findAddress(page, '?again')) === null ? 'gone' : null), 20)
    return findAddress(page, '?again')
  }
  if (name === 'opener') {
    await attack()
    return settled(async () => {
      const address = await page.openerAddress()
      return address.includes(ELSEWHERE) ? address : null
    }, patience)
  }
  if (name === 'other-tag') {
    await attack()
    return page.inVictim(() => (window.heard.includes('forged') ? 'a conversion that never was' : null))
  }
  if (name === 'forge-conversion' || name === 'forge-report') {
    await attack()
    return settled(() => findForged(name, target), patience)
  }
  if (name === 'history') {
    const entries = () => page.inPage(() => history.length, null)
    const before = await entries()
    await attack()
    return settled(async () => ((await entries()) > before + 20 ? 'entries' : null), patience)
  }
  if (name === 'flood' || name === 'flood-nested') {
    await page.inPage(() => {
      Object.assign(window, { messages: 0 })
      addEventListener('message', () => Object.assign(window, { messages: readMessages() + 1 }))
      function readMessages() {
        return (window as unknown as { messages: number }).messages
      }
    }, null)
    await attack()
    // Messages arrive one task at a time.
    return settled(async () => {
      const count = await page.inPage(() => (window as unknown as { messages: number }).messages, null)
      return count >= 1000 ? 'a thousand messages' : null
    }, patience)
  }
  if (name === 'fill-storage') {
    await attack()
    const size = await page.inPage(
      () => document.cookie.length + Object.values(localStorage).join('').length,
      null,
    )
    return size > 100_000 ? 'more than 100 KB' : null
  }
  if (name === 'hog' || name === 'flood-large') {
    await page.inPage(() => {
      let last = performance.now()
      Object.assign(window, { gap: 0 })
      setInterval(() => {
        const now = performance.now()
        Object.assign(window, { gap: Math.max((window as unknown as { gap: number }).gap, now - last) })
        last = now
      }, 20)
    }, null)
    await attack()
    await page.inPage((ms) => new Promise((done) => setTimeout(done, ms)), name === 'hog' ? 100 : 2_000)
    const gap = await page.inPage(() => (window as unknown as { gap: number }).gap, null)
    return gap > 2_500 ? 'three seconds' : null
  }
  return attack()
}

/**
 * Types into the page's focused field until whole words arrive: returns how many keys were lost before, or null if that
 * never happens.
 */
async function typeUntilHeld(page: AttackedPage): Promise<number | null> {
  let lost = 0
  let whole = 0
  for (let word = 0; word < MAX_WORDS && whole < WHOLE_WORDS; word++) {
    for (const key of WORD) await page.press(key)
    const typed = await page.inPage(() => {
      const input = document.querySelector<HTMLInputElement>('input[type="email"]')
      const { length } = input?.value ?? ''
      if (input !== null) input.value = ''
      return length
    }, null)
    lost += WORD.length - typed
    whole = typed === WORD.length ? whole + 1 : 0
  }
  return whole === WHOLE_WORDS ? lost : null
}

/** The victim's counts, which only a forged report raises: reports are written ten times a second here. */
async function findForged(
  name: 'forge-conversion' | 'forge-report',
  { app: { database }, pixel }: Target,
): Promise<string | null> {
  const { db } = database
  const rows =
    name === 'forge-report'
      ? await sumCounts(db, { series: 'tag.result', resolution: 'hour', subject: pixel, from: 0 })
      : await sumCounts(db, { series: 'tag.seen', resolution: 'hour', subject: pixel, from: 0 })
  const forged = name === 'forge-report' ? 'failed' : 'conversion:lead'
  return rows.some(({ key }) => key.split(' ').includes(forged)) ? 'a forged count' : null
}

async function settled(look: () => Promise<string | null>, turns: number): Promise<string | null> {
  for (let turn = 0; turn < turns; turn++) {
    const found = await look()
    if (found !== null) return found
    await new Promise((done) => setTimeout(done, 100))
  }
  return null
}

async function findAddress(page: AttackedPage, part: string): Promise<string | null> {
  return (await page.addresses()).find((address) => address.includes(part)) ?? null
}
