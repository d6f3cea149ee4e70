import type { BlockedHost } from '#contract/tag-status.ts'
import type { TestVerdict } from '#contract/tag-test.ts'

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
