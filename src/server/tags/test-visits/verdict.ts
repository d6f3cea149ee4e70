import type { PixelDelivery } from '#contract/pixel.ts'
import type { BlockedHost } from '#contract/tag-status.ts'
import type { TestCopy, TestState, TestStep, TestVerdict } from '#contract/tag-test.ts'

interface TestInput {
  state: TestState
  delivery: PixelDelivery
  /** The server waits for an answer of the vendor. */
  awaitsCopies: boolean
  steps: readonly TestStep[]
  subject: {
    vendorName: string
    /** Where the vendor writes the account's ID into the address of its page view, that ID. */
    visibleId: string | null
    /** The catalogue says where its page view goes. */
    hasPageView: boolean
    /** Why its ID cannot be one of its vendor. */
    idFault: string | null
    /** What our policy stopped of this pixel, as reports have it: what can be permitted. */
    blocked: readonly BlockedHost[]
  }
}

/**
 * What a test showed, the worst first, by the rules of docs/evidence.md. A single visit is judged, with the person at the
 * browser: what a blocker did here is said of this browser and of no other.
 */
export function judgeTest(input: TestInput): TestVerdict {
  const { delivery, steps, subject, awaitsCopies } = input
  const copies = judgeTestCopies(steps, subject.vendorName, awaitsCopies)
  const isOver = input.state === 'done' || input.state === 'left'
  if (subject.idFault !== null && isOver) return TEST_WORDS.impossibleId(subject.idFault)
  if (delivery !== 'server') return withCopies(judgeVisit(input), copies)
  const isAllowed = steps.findLast(({ kind }) => kind === 'chosen')?.ok === true
  if (!isAllowed) return judgeVisit(input)
  return copies ?? TEST_WORDS.copyUnsent('O servidor parou antes de responder. Teste de novo.')
}

function judgeVisit({ state, steps, subject }: TestInput): TestVerdict {
  if (state === 'waiting') return TEST_WORDS.waiting()
  if (state === 'expired') return TEST_WORDS.expired()
  const { vendorName, visibleId, hasPageView } = subject
  const choice = steps.findLast(({ kind }) => kind === 'chosen')
  if (choice?.ok === false) return TEST_WORDS.refused()
  if (choice === undefined) return state === 'left' ? TEST_WORDS.leftEarly() : TEST_WORDS.asking()
  const stopped = steps.find(({ kind, host }) => kind === 'stopped' && host !== undefined)
  const error = steps.find(({ kind }) => kind === 'error')
  const missing = steps.find(({ kind, ok }) => (kind === 'script' || kind === 'file') && ok === false)
  const hits = steps.filter(({ kind, ok }) => kind === 'request' && ok === true)
  const answered = hits.some(({ verdict }) => verdict === 'answered')
  const isProved = answered || hits.some(({ verdict }) => verdict === 'sent')
  if (stopped?.host !== undefined) {
    const known = subject.blocked.find(({ host }) => host === stopped.host)
    return TEST_WORDS.stopped(vendorName, stopped.host, { isProved, known })
  }
  if (error !== undefined) return TEST_WORDS.error(error.text ?? null, isProved)
  if (missing !== undefined) return TEST_WORDS.missing(missing.host ?? null, isProved)
  if (state === 'open') return TEST_WORDS.running(vendorName)
  if (state === 'left') return TEST_WORDS.leftEarly()
  if (hits.length > 0 && hits.every(({ verdict }) => verdict === 'failed'))
    return TEST_WORDS.notOut(vendorName)
  const settled = steps.findLast(({ kind }) => kind === 'settled')
  if (settled?.ok === false) return TEST_WORDS.nothingSent(vendorName, visibleId)
  if (!hasPageView) return TEST_WORDS.unknownVendor()
  if (hits.length === 0) return TEST_WORDS.notSeen(vendorName, visibleId)
  if (visibleId === null) return TEST_WORDS.showsNoId(vendorName)
  if (!isProved) return TEST_WORDS.unconfirmed(vendorName, visibleId)
  return TEST_WORDS.working(vendorName, answered)
}

function copiesOf(steps: readonly TestStep[]): TestCopy[] {
  return steps.flatMap(({ copy }) => copy ?? [])
}

/** What the answers to the server say; the worst first. Null while there is none. */
function judgeTestCopies(
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
function withCopies(browser: TestVerdict, copies: TestVerdict | null): TestVerdict {
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

const EDIT = { kind: 'edit', label: 'Editar código' } as const

/** Every verdict in one place, in the words that an administrator reads: what was seen, and what to do next. */
export const TEST_WORDS = {
  waiting: (): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'Esperando o site abrir',
    text: 'O site abre em outra aba, com um código que vale dez minutos e uma vez só.',
  }),
  expired: (): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'O site não foi aberto a tempo',
    text: 'O código valia dez minutos. Teste de novo.',
  }),
  asking: (): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'Esperando a sua escolha',
    text: 'Na aba do site, aceite os cookies. Nada roda antes disso, e a escolha do teste não fica guardada.',
  }),
  running: (vendor: string): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'Testando',
    text: `A tag está rodando. Esperamos até 16 segundos pelo envio a ${vendor}.`,
  }),
  leftEarly: (): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'O teste não chegou ao fim',
    text: 'A aba do site foi fechada antes, ou passaram dez minutos. Teste de novo e deixe a aba aberta.',
  }),
  refused: (): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'A tag não rodou, como deve ser',
    text: 'A escolha no site não liberou a categoria desta tag. Para vê-la rodar, teste de novo e aceite.',
  }),
  stopped: (
    vendor: string,
    host: string,
    { isProved, known }: { isProved: boolean; known: BlockedHost | undefined },
  ): TestVerdict => ({
    health: isProved ? 'partial' : 'broken',
    confirmed: isProved,
    title: `A nossa política barrou ${host}`,
    text: `Não foi um bloqueador: fomos nós, e ${vendor} não conseguiu falar com esse endereço. ${
      known === undefined
        ? 'Veja na saúde do pixel se ele pode ser permitido, e teste de novo.'
        : 'Se ele é mesmo dessa plataforma, permita e teste de novo.'
    }`,
    ...(known === undefined
      ? {}
      : { action: { kind: 'permit', ids: [known.id], label: `Permitir ${host}` } as const }),
  }),
  error: (message: string | null, isProved: boolean): TestVerdict => ({
    health: isProved ? 'partial' : 'broken',
    confirmed: isProved,
    title: 'O código da tag parou com um erro',
    text: `${message === null ? '' : `O navegador disse: ${message.replace(/^Uncaught /, '')}. `}Corrija o código e teste de novo.`,
    action: EDIT,
  }),
  missing: (host: string | null, isProved: boolean): TestVerdict => ({
    health: isProved ? 'partial' : 'broken',
    confirmed: isProved,
    title: `${host === null ? 'O arquivo da tag' : `O arquivo de ${host}`} não carregou`,
    text: 'Não foi a nossa política: foi um bloqueador deste navegador, a rede, ou um endereço que não existe. Desligue o bloqueador nesta página e teste de novo; se continuar, confira o código.',
    action: EDIT,
  }),
  notOut: (vendor: string): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: `O envio a ${vendor} não saiu ou falhou`,
    text: 'Não foi a nossa política: foi um bloqueador deste navegador ou a rede. Desligue o bloqueador nesta página e teste de novo.',
  }),
  impossibleId: (message: string): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: 'O ID não é desta plataforma',
    text: `${message} Corrija o ID e teste de novo.`,
    action: { kind: 'edit', label: 'Corrigir o ID' },
  }),
  nothingSent: (vendor: string, id: string | null): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: `Nada foi enviado a ${vendor}${id === null ? '' : ` com o ID ${id}`}`,
    text: 'A tag rodou sem erro e nada a impediu, mas a visita não foi enviada. Confira o ID e o código.',
    action: EDIT,
  }),
  unconfirmed: (vendor: string, id: string): TestVerdict => ({
    health: 'working',
    confirmed: false,
    title: `Saiu um envio para ${vendor} com o ID ${id}`,
    text: 'Nada foi barrado, mas este navegador não diz se o envio chegou. Para ter certeza, repita o teste no Firefox ou no Safari, ou olhe no painel da plataforma.',
  }),
  notSeen: (vendor: string, id: string | null): TestVerdict => ({
    health: 'partial',
    confirmed: false,
    title: `Não vimos nenhum envio para ${vendor}${id === null ? '' : ` com o ID ${id}`}`,
    text: 'A tag rodou sem erro e nada foi barrado, mas este navegador não mostrou o envio da visita. Confira o ID e o código; no Firefox, o teste mostra tudo o que sai.',
    action: EDIT,
  }),
  showsNoId: (vendor: string): TestVerdict => ({
    health: 'working',
    confirmed: false,
    title: 'Rodou sem erro, e nada foi barrado',
    text: `O envio para ${vendor} não mostra o ID, e por isso nenhum navegador pode confirmá-lo. Olhe no painel da plataforma.`,
  }),
  unknownVendor: (): TestVerdict => ({
    health: 'working',
    confirmed: false,
    title: 'Rodou sem erro, e nada foi barrado',
    text: 'Não sabemos para onde este código envia. Olhe no painel da plataforma se a visita chegou.',
  }),
  copying: (vendor: string): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'O servidor está enviando',
    text: `Esperamos a resposta de ${vendor}.`,
  }),
  copyAccepted: (vendor: string): TestVerdict => ({
    health: 'working',
    confirmed: true,
    title: `${vendor} aceitou a cópia do servidor`,
    text: 'Foi um evento de teste, fora da fila e das contagens. O que foi enviado e a resposta estão nos passos.',
  }),
  copyUnconfirmed: (vendor: string): TestVerdict => ({
    health: 'working',
    confirmed: false,
    title: 'O formato do envio está certo',
    text: `${vendor} confere o formato e não confirma o ID nem a chave. Veja o Tempo real depois de uma visita de verdade.`,
  }),
  copyRefused: (vendor: string, message: string): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: `${vendor} recusou a cópia do servidor`,
    text: message,
    action: { kind: 'edit', label: 'Editar pixel' },
  }),
  copyUnanswered: (vendor: string, message: string): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: `${vendor} não respondeu ao servidor`,
    text: `${message} Em uma visita, o envio fica na fila e é tentado de novo; um teste é tentado uma vez.`,
  }),
  copyUnsent: (message: string): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'O servidor não enviou a cópia do teste',
    text: message,
  }),
  working: (vendor: string, answered: boolean): TestVerdict => ({
    health: 'working',
    confirmed: true,
    title: answered ? `${vendor} respondeu` : `A visita foi enviada a ${vendor}`,
    text: answered
      ? 'A visita saiu com o ID deste pixel e foi respondida. Se foi aceita, só o painel da plataforma diz.'
      : 'A visita saiu com o ID deste pixel; o navegador não conta se houve resposta.',
  }),
} as const
