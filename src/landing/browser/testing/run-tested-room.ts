import type { RoomMessage, RoomReport } from '#contract/isolated-frame.ts'
import type { StartedTest } from '#contract/tag-test.ts'
import { guardFocus } from '../tags/rooms/guard-focus.ts'
import { RoomFrame, refuseMessages } from '../tags/rooms/room-frame.ts'
import { TagRun } from '../tags/tag-run.ts'
import { watchConversions } from '../tags/watch-conversions.ts'
import type { StepReporter } from './step-reporter.ts'
import type { TestBar } from './test-bar.ts'

/** The same test of an isolated tag: its room tells what it saw, and the page what it heard. Nothing of its jar is kept. */
export function runTestedRoom({ tag, testCalls }: StartedTest, reporter: StepReporter, bar: TestBar): void {
  const asked = new Map<string, { name: 'lead' | 'contact' | 'sign_up'; phase: number }>()
  const end = () => {
    const report = room.run.inRoom
    if (report !== undefined) tellReport(report, reporter)
    bar.say('Pronto: o resultado está no painel. Para testar uma conversão, clique em Abrir Conta.')
  }
  const take = (message: RoomMessage) => {
    if (message.portico === 'report') {
      room.run.inRoom = message.report
      reporter.add({ kind: 'file', ok: true })
      if (message.report.isFinal) end()
    } else if (message.portico === 'told') {
      const conversion = asked.get(message.id)
      if (conversion)
        reporter.add({ kind: 'conversion', conversion: conversion.name, ok: true }, conversion.phase)
    }
  }
  const room = new RoomFrame(new TagRun(tag), { message: take, end }, testCalls)
  guardFocus((element) => (element === room.frame ? room : undefined))
  refuseMessages(() => [room])
  watchConversions((conversion) => {
    asked.set(conversion.id, { name: conversion.name, phase: asked.size + 1 })
    room.tell(conversion)
    bar.say('O clique foi tentado, e a página fica aqui. Veja o resultado no painel.')
  })
  bar.say('A tag está rodando isolada. Deixe esta aba aberta.')
  room.open()
}

function tellReport({ result, hosts = {}, stopped, sees_all }: RoomReport, reporter: StepReporter): void {
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
