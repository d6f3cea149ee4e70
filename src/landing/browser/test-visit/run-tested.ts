import type { FrameMessage, FrameReport } from '#contract/isolated-frame.ts'
import type { StartedTest } from '#contract/tag-test.ts'
import { FrameElement, guardFocus, refuseMessages } from '../tags/isolated/frame-element.ts'
import { noteViolations } from '../tags/observe.ts'
import { SETTLE_MS } from '../tags/requests.ts'
import { deliverConversion, makeCall, runStep, TagRun } from '../tags/run-tags.ts'
import { watchConversions } from '../tags/watch-conversions.ts'
import type { StepReporter, TestBar } from './report.ts'
import { watchCookies, watchScripts, watchTraffic } from './watch.ts'

/** The same test of an isolated tag: its frame reports what it saw, and the page what it received. Nothing that it stores is kept. */
export function runTestedFrame({ tag, testCalls }: StartedTest, reporter: StepReporter, bar: TestBar): void {
  const asked = new Map<string, { name: 'lead' | 'contact' | 'sign_up'; phase: number }>()
  const end = () => {
    const report = frame.run.inFrame
    if (report !== undefined) tellReport(report, reporter)
    bar.say('Pronto! Veja o resultado no painel. Para testar uma conversão, clique em Abrir Conta.')
  }
  const take = (message: FrameMessage) => {
    if (message.portico === 'report') {
      frame.run.inFrame = message.report
      reporter.add({ kind: 'file', ok: true })
      if (message.report.isFinal) end()
    } else if (message.portico === 'told') {
      const conversion = asked.get(message.id)
      if (conversion)
        reporter.add({ kind: 'conversion', conversion: conversion.name, ok: true }, conversion.phase)
    }
  }
  const frame = new FrameElement(new TagRun(tag), { message: take, end }, testCalls)
  guardFocus((element) => (element === frame.frame ? frame : undefined))
  refuseMessages(() => [frame])
  watchConversions((conversion) => {
    asked.set(conversion.id, { name: conversion.name, phase: asked.size + 1 })
    frame.tell(conversion)
    bar.say('Clique registrado no teste. A página não abre o link. Veja o resultado no painel.')
  })
  bar.say('A tag está rodando, isolada da página. Deixe esta aba aberta.')
  frame.open()
}

function tellReport({ result, hosts = {}, stopped, sees_all }: FrameReport, reporter: StepReporter): void {
  const { outcome, error, hit } = result
  for (const { host, directive } of stopped) {
    const name = URL.canParse(host) ? new URL(host).hostname : undefined
    reporter.add({ kind: 'stopped', text: directive, ...(name && { host: name }) })
  }
  if (error) reporter.add({ kind: 'error', text: error })
  if (outcome === 'blocked') reporter.add({ kind: 'script', ok: false })
  for (const [host, verdict] of Object.entries(hosts)) reporter.add({ kind: 'request', host, verdict })
  const [first = ''] = Object.keys(hosts)
  if (hit && hit !== 'none') reporter.add({ kind: 'request', host: first, verdict: hit, ok: true })
  reporter.add({ kind: 'settled', ...(hit === 'none' && sees_all && { ok: false }) })
}

const LOOK_MS = 400

/** As long as an ordinary visit waits for a page view. */
const MAX_WAIT_MS = 16_000

/** Runs the tag and reports step by step what the page sees, including conversions, while it is open. */
export async function runTested(
  { tag, testCalls }: StartedTest,
  reporter: StepReporter,
  bar: TestBar,
): Promise<void> {
  // After a click, facts may be reported again.
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
    bar.say('Clique registrado no teste. A página não abre o link. Veja o resultado no painel.')
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
  bar.say('Pronto! Veja o resultado no painel. Para testar uma conversão, clique em Abrir Conta.')
}
