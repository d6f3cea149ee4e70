import type { DeliveryCheck } from '#contract/conversions.ts'
import type { TagTest, TestState, TestStep } from '#contract/tag-test.ts'

export interface Gate {
  name: string
  state: 'done' | 'doing' | 'stop' | 'ahead'
  text: string
}

/** The stages of a visit to the platform, and where it stopped. */
export function listGates(
  { state, steps, delivery }: Pick<TagTest, 'state' | 'steps' | 'delivery'>,
  vendor: string,
): Gate[] {
  const gates = delivery === 'server' ? listServerGates(steps, vendor) : listPageGates(state, steps, vendor)
  const at = gates.findIndex((each) => each.state !== 'done')
  return gates.map((each, index) =>
    each.state === 'doing' && index > at ? { ...each, state: 'ahead', text: '' } : each,
  )
}

/** If only the server sends. */
function listServerGates(steps: readonly TestStep[], vendor: string): Gate[] {
  const checks = steps.flatMap(({ copy }) => (copy === undefined ? [] : [copy.check]))
  const is = (state: DeliveryCheck['state']) => checks.some((check) => check?.state === state)
  return [
    ...listFirstGates(steps),
    gate(
      'Servidor',
      checks.some((check) => check !== null),
      checks.includes(null),
      { done: 'enviou', stop: 'não enviou', doing: 'enviando' },
    ),
    gate(vendor, is('accepted') && !is('refused'), is('refused') || is('waiting'), {
      done: 'aceitou',
      stop: is('refused') ? 'recusou' : 'não aceitou',
      doing: is('unconfirmed') ? 'sem confirmação' : 'aguardando resposta',
    }),
  ]
}

function listFirstGates(steps: readonly TestStep[]): Gate[] {
  const opened = steps.some(({ kind }) => kind === 'opened')
  const choice = steps.find(({ kind }) => kind === 'chosen')
  return [
    { name: 'Página', state: opened ? 'done' : 'doing', text: opened ? 'abriu' : 'aguardando abrir' },
    gate('Consentimento', choice?.ok === true, choice?.ok === false, {
      done: 'aceito',
      stop: 'não aceito',
      doing: 'aguardando',
    }),
  ]
}

function listPageGates(state: TestState, steps: readonly TestStep[], vendor: string): Gate[] {
  const has = (test: (step: TestStep) => boolean) => steps.some(test)
  const choice = steps.find(({ kind }) => kind === 'chosen')
  const came = has(({ kind, ok }) => (kind === 'file' || kind === 'script') && ok === true)
  const missing = has(({ kind, ok }) => (kind === 'file' || kind === 'script') && ok === false)
  const stopped = has(({ kind }) => kind === 'stopped')
  const requests = steps.filter(({ kind }) => kind === 'request')
  const hits = requests.filter(({ ok }) => ok === true)
  const isProved = hits.some(({ verdict }) => verdict === 'answered' || verdict === 'sent')
  const nothingSent = has(({ kind, ok }) => kind === 'settled' && ok === false)
  const isDone = state === 'done' && choice?.ok === true
  return [
    ...listFirstGates(steps),
    gate('Código da tag', came && !missing, missing, {
      done: 'carregou',
      stop: 'não carregou',
      doing: 'carregando',
    }),
    gate('Segurança do site', isDone && !stopped, stopped, {
      done: 'nada bloqueado',
      stop: 'bloqueou',
      doing: 'verificando',
    }),
    gate(
      vendor,
      isDone && isProved,
      nothingSent || (hits.length > 0 && hits.every(({ verdict }) => verdict === 'failed')),
      {
        done: hits.some(({ verdict }) => verdict === 'answered') ? 'respondeu' : 'enviado',
        stop: 'nada enviado',
        doing: isDone ? 'sem confirmação' : 'aguardando envio',
      },
    ),
  ]
}

function gate(
  name: string,
  isDone: boolean,
  isStopped: boolean,
  words: { done: string; stop: string; doing: string },
): Gate {
  const state = isStopped ? 'stop' : isDone ? 'done' : 'doing'
  return { name, state, text: words[state] }
}
