import type { StartedTest } from '#contract/tag-test.ts'
import { deliverConversion, makeCall } from '../tags/deliver-conversion.ts'
import { SETTLE_MS } from '../tags/is-quiet.ts'
import { noteViolations } from '../tags/note-violations.ts'
import { runStep } from '../tags/run-step.ts'
import { TagRun } from '../tags/tag-run.ts'
import { watchConversions } from '../tags/watch-conversions.ts'
import type { StepReporter } from './step-reporter.ts'
import type { TestBar } from './test-bar.ts'
import { watchCookies } from './watch-cookies.ts'
import { watchScripts } from './watch-scripts.ts'
import { watchTraffic } from './watch-traffic.ts'

const LOOK_MS = 400
/** As long as an ordinary visit waits for a page view. */
const MAX_WAIT_MS = 16_000

/** Runs the tag and tells step by step what the page can see of it, conversions included, for as long as it is open. */
export async function runTested(
  { tag, testCalls }: StartedTest,
  reporter: StepReporter,
  bar: TestBar,
): Promise<void> {
  // A click makes what was said once worth saying again.
  let phase = 0
  const run = new TagRun(tag)
  const violations = noteViolations(({ blockedURI, effectiveDirective }) => {
    const host = URL.canParse(blockedURI) ? new URL(blockedURI).hostname : undefined
    reporter.add({ kind: 'stopped', text: effectiveDirective, ...(host && { host }) }, phase)
    return tag.id
  })
  watchScripts(run, violations.has, (step) => reporter.add(step, phase))
  const traffic = watchTraffic(tag, violations.has, ({ host, verdict, status, isHit }) =>
    reporter.add(
      { kind: 'request', host, verdict, ...(status > 0 && { status }), ...(isHit && { ok: true }) },
      phase,
    ),
  )
  const lookAtCookies = watchCookies(tag.category, (text) => reporter.add({ kind: 'cookie', text }))
  const look = () => {
    traffic.look()
    lookAtCookies()
  }
  setInterval(look, LOOK_MS)
  watchConversions((conversion) => {
    phase += 1
    const ok = deliverConversion(conversion, [tag]).length > 0
    reporter.add({ kind: 'conversion', conversion: conversion.name, id: conversion.id, ok }, phase)
    bar.say('O clique foi tentado, e a página fica aqui. Veja o resultado no painel.')
  })
  bar.say('A tag está rodando. Deixe esta aba aberta.')
  for (const { call, args } of testCalls) makeCall(call, args)
  for (const step of tag.steps) await runStep(step, run)
  const since = performance.now()
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      look()
      const waited = performance.now() - since
      const isEnough = tag.hit === undefined || traffic.hasHit() || traffic.isQuiet()
      if (waited < MAX_WAIT_MS && (waited < SETTLE_MS || !isEnough)) return
      clearInterval(timer)
      resolve()
    }, LOOK_MS)
  })
  const isMissing = traffic.wouldBeSeen() && !traffic.hasHit() && traffic.isQuiet()
  reporter.add({ kind: 'settled', ...(isMissing && { ok: false }) })
  bar.say('Pronto: o resultado está no painel. Para testar uma conversão, clique em Abrir Conta.')
}
