import type { TestCopy, TestStep, TestVerdict } from '#contract/tag-test.ts'
import { TEST_WORDS } from './test-words.ts'

function copiesOf(steps: readonly TestStep[]): TestCopy[] {
  return steps.flatMap(({ copy }) => copy ?? [])
}

/** What the answers to the server say; the worst first. Null while there is none. */
export function judgeTestCopies(
  steps: readonly TestStep[],
  vendorName: string,
  awaitsCopies: boolean,
): TestVerdict | null {
  const copies = copiesOf(steps)
  const first = (state: string) => copies.find(({ check }) => check?.state === state)
  const refused = first('refused')
  if (refused !== undefined) return TEST_WORDS.copyRefused(vendorName, refused.message)
  const unsent = copies.find(({ check }) => check === null)
  if (unsent !== undefined) return TEST_WORDS.copyUnsent(unsent.message)
  const unanswered = first('waiting')
  if (unanswered !== undefined) return TEST_WORDS.copyUnanswered(vendorName, unanswered.message)
  if (awaitsCopies) return TEST_WORDS.copying(vendorName)
  if (copies.length === 0) return null
  return first('accepted') === undefined
    ? TEST_WORDS.copyUnconfirmed(vendorName)
    : TEST_WORDS.copyAccepted(vendorName)
}

/** The browser's part and the server's, as one: what is wrong with either is said. */
export function withCopies(browser: TestVerdict, copies: TestVerdict | null): TestVerdict {
  if (copies === null || copies.health === 'waiting') return browser
  if (browser.health === 'waiting') return browser
  if (copies.health === 'working')
    return browser.health === 'working'
      ? { ...browser, confirmed: true, text: `${browser.text} ${copies.title}.` }
      : browser
  return browser.health === 'working'
    ? { ...copies, health: 'partial', confirmed: browser.confirmed }
    : browser
}
