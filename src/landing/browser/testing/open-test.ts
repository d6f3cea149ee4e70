import { type StartedTest, TEST_FRAGMENT, TEST_START_PATH } from '#contract/tag-test.ts'
import { denyGoogleByDefault, updateGoogleConsent } from '../consent/google-consent.ts'
import type { LoadPreferences } from '../consent/wire-consent.ts'
import { askChoice } from './ask-choice.ts'
import { awaitConversions } from './await-conversions.ts'
import { keepOnPage } from './keep-on-page.ts'
import { runTested } from './run-tested.ts'
import { runTestedRoom } from './run-tested-room.ts'
import { StepReporter } from './step-reporter.ts'
import { TestBar } from './test-bar.ts'

/**
 * The page of a test, opened by an administrator's link. It asks for the choice and stores nothing of it, runs the one
 * tag, and reports what it sees to nobody but the test. Whoever comes with a token that is worth nothing has an ordinary
 * visit.
 */
export async function openTest(loadPreferences: LoadPreferences): Promise<void> {
  const token = location.hash.slice(TEST_FRAGMENT.length)
  // Before anything else, and long before a tag runs.
  history.replaceState(null, '', location.pathname + location.search)
  const test = await trade(token)
  if (test === null) {
    location.reload()
    return
  }
  const reporter = new StepReporter(test.key)
  const bar = new TestBar(test.name, test.notice)
  keepOnPage()
  reporter.add({ kind: 'opened' })
  denyGoogleByDefault()
  const { category } = test.tag
  const choice = askChoice(category, loadPreferences)
  reporter.add({ kind: 'asked' })
  const granted = await choice
  updateGoogleConsent(granted)
  const isAllowed = granted.includes(category)
  reporter.add({ kind: 'chosen', ok: isAllowed })
  if (isAllowed && !test.runs) await awaitConversions(reporter, bar)
  else if (isAllowed && test.tag.room) runTestedRoom(test, reporter, bar)
  else if (isAllowed) await runTested(test, reporter, bar)
  else bar.say('A tag não rodou: a sua escolha não a liberou. Veja o resultado no painel.')
}

async function trade(token: string): Promise<StartedTest | null> {
  try {
    const answer = await fetch(TEST_START_PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, set: document.documentElement.dataset.tags ?? '' }),
    })
    return answer.ok ? await answer.json() : null
  } catch {
    return null
  }
}
