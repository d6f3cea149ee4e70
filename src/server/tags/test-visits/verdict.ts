import type { PixelDelivery } from '#contract/pixel.ts'
import type { BlockedHost } from '#contract/tag-status.ts'
import type { TestCopy, TestState, TestStep, TestVerdict } from '#contract/tag-test.ts'
import { UNKNOWN_VENDOR } from '#server/vendors/marks.ts'

interface TestInput {
  state: TestState
  delivery: PixelDelivery
  /** The server waits for a vendor's answer. */
  awaitsCopies: boolean
  steps: readonly TestStep[]
  subject: {
    vendorName: string
    /** The account's ID, if the vendor writes it into the address of its page view. */
    visibleId: string | null
    /** The catalogue says where its page view goes. */
    hasPageView: boolean
    /** Why its ID cannot be valid for its vendor. */
    idFault: string | null
    /** Reported hosts of this pixel that can be permitted. */
    blocked: readonly BlockedHost[]
  }
}

/**
 * The verdict on a test, worst first, by the rules of docs/explain/health.md. It judges a single visit: what a blocker
 * did is said of this browser only.
 */
export function judgeTest(input: TestInput): TestVerdict {
  const { delivery, steps, subject, awaitsCopies } = input
  const copies = judgeTestCopies(steps, subject.vendorName, awaitsCopies)
  const isOver = input.state === 'done' || input.state === 'left'
  if (subject.idFault !== null && isOver) return TEST_WORDS.impossibleId(subject.idFault)
  if (delivery !== 'server') return withCopies(judgeVisit(input), copies)
  const isAllowed = steps.findLast(({ kind }) => kind === 'chosen')?.ok === true
  if (!isAllowed) return judgeVisit(input)
  return copies ?? TEST_WORDS.copyUnsent('O servidor foi interrompido antes da resposta. Teste novamente.')
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

/** The verdict on the vendor's answers to the server, worst first. Null while there is none. */
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

/** Combines both verdicts: the worse one is shown. */
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

/** The name that stands for a vendor that nobody recognised is no proper name: at the start it has a capital. */
const startWith = (vendor: string) => (vendor === UNKNOWN_VENDOR ? 'Sua plataforma' : vendor)

/** All verdicts, in Portuguese: what was seen, and what to do next. */
export const TEST_WORDS = {
  waiting: (): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'Aguardando você abrir o site',
    text: 'O site abre em outra aba. O link vale por 10 minutos e só pode ser usado uma vez.',
  }),
  expired: (): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'O site não foi aberto a tempo',
    text: 'O link valia por 10 minutos. Teste novamente.',
  }),
  asking: (): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'Aguardando sua resposta ao aviso',
    text: 'Na aba do site, aceite os cookies. A tag só roda depois disso, e a resposta vale só para este teste.',
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
    title: 'O teste não terminou',
    text: 'A aba do site foi fechada ou o teste passou de 10 minutos. Teste novamente e deixe a aba aberta.',
  }),
  refused: (): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'A tag não rodou porque você não aceitou a categoria dela',
    text: 'É o comportamento esperado. Para ver a tag rodar, teste novamente e aceite os cookies.',
  }),
  stopped: (
    vendor: string,
    host: string,
    { isProved, known }: { isProved: boolean; known: BlockedHost | undefined },
  ): TestVerdict => ({
    health: isProved ? 'partial' : 'broken',
    confirmed: isProved,
    title: `O site bloqueou ${host}`,
    text: `Foi a segurança do site, e não um bloqueador: ${vendor} tentou acessar um domínio que não está permitido. ${
      known === undefined
        ? 'Veja na página do pixel se ele pode ser permitido e teste novamente.'
        : 'Se o domínio for mesmo da plataforma, permita e teste novamente.'
    }`,
    ...(known === undefined
      ? {}
      : { action: { kind: 'permit', ids: [known.id], label: `Permitir ${host}` } as const }),
  }),
  error: (message: string | null, isProved: boolean): TestVerdict => ({
    health: isProved ? 'partial' : 'broken',
    confirmed: isProved,
    title: 'O código da tag deu erro',
    text: `${message === null ? '' : `Mensagem do navegador: ${message.replace(/^Uncaught /, '')}. `}Corrija o código e teste novamente.`,
    action: EDIT,
  }),
  missing: (host: string | null, isProved: boolean): TestVerdict => ({
    health: isProved ? 'partial' : 'broken',
    confirmed: isProved,
    title: `${host === null ? 'O arquivo da tag' : `O arquivo de ${host}`} não carregou`,
    text: 'O site não bloqueou: pode ser um bloqueador deste navegador, a rede ou um endereço errado. Desative o bloqueador nesta página e teste novamente. Se continuar, confira o código.',
    action: EDIT,
  }),
  notOut: (vendor: string): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: `O envio a ${vendor} falhou`,
    text: 'O site não bloqueou: pode ser um bloqueador deste navegador ou a rede. Desative o bloqueador nesta página e teste novamente.',
  }),
  impossibleId: (message: string): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: 'O ID não é desta plataforma',
    text: `${message} Corrija o ID e teste novamente.`,
    action: { kind: 'edit', label: 'Corrigir o ID' },
  }),
  nothingSent: (vendor: string, id: string | null): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: `Nada foi enviado a ${vendor}${id === null ? '' : ` com o ID ${id}`}`,
    text: 'A tag rodou sem erro e sem bloqueio, mas não enviou a visita. Confira o ID e o código.',
    action: EDIT,
  }),
  unconfirmed: (vendor: string, id: string): TestVerdict => ({
    health: 'working',
    confirmed: false,
    title: `Vimos um envio a ${vendor} com o ID ${id}`,
    text: 'Nada foi bloqueado, mas este navegador não informa se o envio chegou. Para confirmar, repita o teste no Firefox ou no Safari ou confira no painel da plataforma.',
  }),
  notSeen: (vendor: string, id: string | null): TestVerdict => ({
    health: 'partial',
    confirmed: false,
    title: `Não vimos nenhum envio a ${vendor}${id === null ? '' : ` com o ID ${id}`}`,
    text: 'A tag rodou sem erro e sem bloqueio, mas este navegador não mostrou o envio da visita. Confira o ID e o código. No Firefox, o teste mostra tudo o que é enviado.',
    action: EDIT,
  }),
  showsNoId: (vendor: string): TestVerdict => ({
    health: 'working',
    confirmed: false,
    title: 'A tag rodou sem erro e sem bloqueio',
    text: `O envio a ${vendor} não mostra o ID, e nenhum navegador consegue confirmar. Confira no painel da plataforma.`,
  }),
  unknownVendor: (): TestVerdict => ({
    health: 'working',
    confirmed: false,
    title: 'A tag rodou sem erro e sem bloqueio',
    text: 'Não sabemos para onde este código envia. Confira no painel da plataforma se a visita chegou.',
  }),
  copying: (vendor: string): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'O servidor está enviando',
    text: `Aguardando a resposta de ${vendor}.`,
  }),
  copyAccepted: (vendor: string): TestVerdict => ({
    health: 'working',
    confirmed: true,
    title: `${startWith(vendor)} aceitou o envio do servidor`,
    text: 'Foi um evento de teste e não entra nos números do painel. Veja nos passos o que foi enviado e a resposta.',
  }),
  copyUnconfirmed: (vendor: string): TestVerdict => ({
    health: 'working',
    confirmed: false,
    title: 'O formato do envio está certo',
    text: `${startWith(vendor)} verifica só o formato. O ID e a chave não são verificados. Faça uma visita de verdade e veja o relatório Tempo real.`,
  }),
  copyRefused: (vendor: string, message: string): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: `${startWith(vendor)} recusou o envio do servidor`,
    text: message,
    action: { kind: 'edit', label: 'Editar pixel' },
  }),
  copyUnanswered: (vendor: string, message: string): TestVerdict => ({
    health: 'broken',
    confirmed: false,
    title: `${startWith(vendor)} não respondeu ao servidor`,
    text: `${message} Em visitas de verdade, o envio fica na fila e é repetido. No teste, só há uma tentativa.`,
  }),
  copyUnsent: (message: string): TestVerdict => ({
    health: 'waiting',
    confirmed: false,
    title: 'O servidor não enviou o evento de teste',
    text: message,
  }),
  working: (vendor: string, answered: boolean): TestVerdict => ({
    health: 'working',
    confirmed: true,
    title: answered ? `${startWith(vendor)} respondeu` : `A visita foi enviada a ${vendor}`,
    text: answered
      ? 'A visita foi enviada com o ID deste pixel, e a plataforma respondeu. Para ver se ela foi contada, confira o painel da plataforma.'
      : 'A visita foi enviada com o ID deste pixel. Este navegador não informa a resposta.',
  }),
} as const
