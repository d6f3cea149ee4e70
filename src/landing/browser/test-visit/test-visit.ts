import type { ConsentCategory } from '#contract/consent.ts'
import { OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import { type StartedTest, TEST_FRAGMENT, TEST_START_PATH } from '#contract/tag-test.ts'
import consentStyle from '../consent/consent.css?inline'
import {
  denyGoogleByDefault,
  findBanner,
  type LoadPreferences,
  showBanner,
  updateGoogleConsent,
} from '../consent/consent.ts'
import { adoptStyle, announceConversion } from '../shared/page.ts'
import { watchConversions } from '../tags/watch-conversions.ts'
import { StepReporter, TestBar } from './report.ts'
import { runTested, runTestedFrame } from './run-tested.ts'

/**
 * The page of a test, opened by an administrator's link. It asks for the choice and stores nothing of it, runs the one
 * tag, and reports what it sees to nobody but the test. Whoever comes with a token that is worth nothing has an ordinary
 * visit.
 */
export async function openTest(loadPreferences: LoadPreferences): Promise<void> {
  const token = location.hash.slice(TEST_FRAGMENT.length)
  // First of all, long before a tag runs. Without its query, the page is counted if it is loaded again.
  history.replaceState(null, '', location.pathname)
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
  else if (isAllowed && test.tag.room) runTestedFrame(test, reporter, bar)
  else if (isAllowed) await runTested(test, reporter, bar)
  else bar.say('A tag não rodou porque você não aceitou a categoria dela. Veja o resultado no painel.')
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

/** Shows the banner as usual. The choice is for this page only: neither stored nor recorded. */
export function askChoice(
  category: ConsentCategory,
  loadPreferences: LoadPreferences,
): Promise<ConsentCategory[]> {
  adoptStyle(consentStyle)
  const banner = findBanner()
  showBanner()
  return new Promise((resolve) => {
    const choose = (granted: ConsentCategory[]) => {
      if (banner !== null) banner.hidden = true
      resolve(granted)
    }
    banner?.addEventListener('click', (event) => {
      const button = (event.target as Element).closest<HTMLElement>('[data-consent]')
      const action = button?.dataset.consent
      if (action === 'accept_all') choose([...OPTIONAL_CATEGORIES])
      if (action === 'reject') choose([])
      if (action === 'choose' && button)
        void loadPreferences().then((part) =>
          part.openPreferences({ granted: [], inUse: [category], opener: button, choose }),
        )
    })
  })
}

/** If only the server sends: nothing runs here, and conversions are reported to the test. */
export async function awaitConversions(reporter: StepReporter, bar: TestBar): Promise<void> {
  let phase = 0
  watchConversions(({ name, id }) => {
    phase += 1
    reporter.add({ kind: 'conversion', conversion: name, id }, phase)
    bar.say('Clique registrado no teste. A página não abre o link. Veja a resposta da plataforma no painel.')
  })
  reporter.add({ kind: 'settled' })
  bar.say('O envio é feito pelo servidor: veja no painel. Para testar uma conversão, clique em Abrir Conta.')
}

/** On a page under test a conversion is tried, not made: links stay here, and no address is subscribed. */
export function keepOnPage(): void {
  for (const click of ['click', 'auxclick']) {
    addEventListener(click, (event) => {
      if ((event.target as Element).closest('[data-conversion]') !== null) event.preventDefault()
    })
  }
  addEventListener(
    'submit',
    (event) => {
      event.preventDefault()
      event.stopImmediatePropagation()
      announceConversion('sign_up')
    },
    true,
  )
}
