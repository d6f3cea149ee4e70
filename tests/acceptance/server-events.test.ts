import { describe } from 'vitest'
import { TIER_ENGINES } from '#tests/support/engines.ts'
import { prepareEventSite, prepareVendorsAndMail } from '#tests/support/event-site.ts'
import { testAddresses } from './server-events/addresses.ts'
import { testAnswers } from './server-events/answers.ts'
import { testConsent } from './server-events/consent.ts'
import { testDashboard } from './server-events/dashboard.ts'
import { testPayloads } from './server-events/payloads.ts'
import { testPixelTests } from './server-events/pixel-tests.ts'
import { testRefusals } from './server-events/refusals.ts'

const surroundings = prepareVendorsAndMail()

/** By subject, all on one server per engine: each start costs half a second. */
describe.each(TIER_ENGINES)('events sent by the server, on %s', (engine) => {
  const site = prepareEventSite(engine, surroundings)
  testPixelTests(site)
  testPayloads(site)
  testConsent(site)
  testRefusals(site)
  testAnswers(site)
  testDashboard(site)
  testAddresses(site)
})
