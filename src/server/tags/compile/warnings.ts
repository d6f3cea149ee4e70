import type { TagWarning } from '#contract/tag-status.ts'
import type { TagSource } from './compiled-tag.ts'
import type { ScriptFacts } from './inspect-script.ts'
import type { Recognition } from './recognise-source.ts'

/** A conversion that is sent while the page loads is sent by every visit. */
export function checkConversions(
  conversions: Recognition['conversions'],
  facts: readonly ScriptFacts[],
): TagWarning[] {
  const calls = facts.flatMap(({ atLoad }) => atLoad)
  return conversions.flatMap(({ vendor, call, begins, events, hasLabel }) => {
    const early = calls.find(
      ({ name, texts }) =>
        name === call &&
        begins.every((text, index) => texts[index] === text) &&
        (hasLabel || texts.some((text) => events.includes(text))),
    )
    return early === undefined ? [] : [WARNINGS.conversionAtLoad(vendor, hasLabel)]
  })
}

/** Google ended Universal Analytics: nothing is measured any more. */
export function checkEnded(code: string): TagWarning[] {
  const [account] = /\bUA-\d{4,12}-\d{1,4}\b/.exec(code) ?? []
  return account === undefined ? [] : [WARNINGS.universalAnalytics(account)]
}

/** An ID that differs from the field sends every visit to another account, and nothing shows it. */
export function checkIds(
  source: TagSource,
  facts: readonly ScriptFacts[],
  addresses: readonly string[],
): TagWarning[] {
  const strings = facts.flatMap((fact) => fact.texts.map(({ text }) => text))
  const containers = strings.filter((text) => /^GTM-[A-Z0-9]+$/i.test(text))
  if (source.type !== 'google_tag_manager' && loadsContainer([...strings, ...addresses])) {
    return [WARNINGS.hiddenContainer()]
  }
  if (source.pixel_id === null || (facts.length === 0 && addresses.length === 0)) return []
  const expected = source.pixel_id
  const found = [...new Set([...idsInCode(source.type, facts, containers), ...idsInAddresses(addresses)])]
  if (found.length === 0) return [WARNINGS.idMissing(expected)]
  return found
    .filter((id) => id !== expected && isSameKind(id, expected))
    .map((id) => WARNINGS.otherId(id, expected))
}

/** One Google tag configures several products: `AW-` beside `G-` is another product, not another account. */
function isSameKind(id: string, expected: string): boolean {
  const kindOf = (text: string) => /^[A-Z]+(?=-)/i.exec(text)?.[0].toUpperCase()
  return kindOf(id) === kindOf(expected)
}

function idsInCode(
  type: TagSource['type'],
  facts: readonly ScriptFacts[],
  containers: readonly string[],
): string[] {
  const second = (name: string, command: string) =>
    facts.flatMap((fact) =>
      (fact.calls.get(name) ?? []).flatMap(([first, id]) => (first === command && id ? [id] : [])),
    )
  if (type === 'meta') return second('fbq', 'init')
  if (type === 'google_analytics') return second('gtag', 'config')
  return type === 'google_tag_manager' ? [...containers] : []
}

/** `gtag/js?id=…` and `gtm.js?id=…`. */
function idsInAddresses(addresses: readonly string[]): string[] {
  return addresses.flatMap((address) => {
    const url = new URL(address)
    const id = url.hostname.endsWith('googletagmanager.com') ? url.searchParams.get('id') : null
    return id === null ? [] : [id]
  })
}

function loadsContainer(texts: readonly string[]): boolean {
  return texts.some((text) => text.includes('googletagmanager.com/gtm.js'))
}

/** All warnings, in Portuguese: what happens, and what to do. */
export const WARNINGS = {
  doesNotParse: (position: number, line: number, reason: string): TagWarning => ({
    code: 'does_not_parse',
    message: `O ${position}º script tem um erro na linha ${line} e não vai rodar (${shorten(reason)}). Copie o código de novo da plataforma.`,
  }),
  noScript: (): TagWarning => ({
    code: 'no_script',
    message: 'Não há nenhum script aqui. Cole o código completo, de <script> até </script>.',
  }),
  documentWrite: (): TagWarning => ({
    code: 'document_write',
    message:
      'O código usa document.write, que não funciona em tags carregadas depois da página. Peça à plataforma a versão assíncrona.',
  }),
  usesEval: (): TagWarning => ({
    code: 'eval',
    message: 'O código usa eval, que a segurança do site bloqueia. Peça à plataforma uma versão sem eval.',
  }),
  inlineHandler: (attribute: string): TagWarning => ({
    code: 'inline_handler',
    message: `O atributo ${shorten(attribute)} não vai rodar: a segurança do site bloqueia código em atributos. Peça à plataforma uma versão com addEventListener.`,
  }),
  notHttps: (address: string): TagWarning => ({
    code: 'not_https',
    message: `O endereço ${shorten(address)} não usa https e não vai carregar. Troque http:// por https://.`,
  }),
  unusableAddress: (address: string): TagWarning => ({
    code: 'unusable_address',
    message: `O endereço ${shorten(address)} não é público e não vai carregar. Confira o código com a plataforma.`,
  }),
  elementNotShipped: (name: string): TagWarning => ({
    code: 'element_not_shipped',
    message: `O elemento <${shorten(name)}> não entra no site: tags só podem ter scripts e imagens.`,
  }),
  metaNotShipped: (name: string): TagWarning => ({
    code: 'meta_not_shipped',
    message: `A tag <meta${name === '' ? '' : ` ${shorten(name)}`}> não entra no site: só aceitamos as de verificação, como google-site-verification.`,
  }),
  metaWithoutCode: (name: string): TagWarning => ({
    code: 'meta_without_code',
    message: `A verificação ${shorten(name)} está sem o código. Copie a tag completa, com content="…".`,
  }),
  jsonLdUnreadable: (): TagWarning => ({
    code: 'json_ld_unreadable',
    message: 'Os dados estruturados (JSON-LD) têm um erro e não entram no site. Copie de novo.',
  }),
  jsonLdTooLarge: (): TagWarning => ({
    code: 'json_ld_too_large',
    message: 'Os dados estruturados (JSON-LD) passam de 2 KB e não entram no site. Deixe só o essencial.',
  }),
  noscriptOnly: (): TagWarning => ({
    code: 'noscript_only',
    message:
      'Você colou só a parte <noscript>, que os navegadores atuais não usam. Cole o código completo da plataforma.',
  }),
  linkOnly: (): TagWarning => ({
    code: 'link_only',
    message:
      'Isto é só um link, e uma tag não cria botões no site. Para trocar o WhatsApp do site, fale com a equipe de TI.',
  }),
  nothingRuns: (): TagWarning => ({
    code: 'nothing_runs',
    message:
      'Este código não tem script, imagem nem verificação, então nada vai rodar. Cole o código da plataforma.',
  }),
  placeholder: (text: string): TagWarning => ({
    code: 'placeholder',
    message: `O código ainda tem ${shorten(text)}. Troque pelo valor da sua conta.`,
  }),
  otherId: (found: string, expected: string): TagWarning => ({
    code: 'other_id',
    message: `O código usa o ID ${shorten(found)}, mas o campo tem ${expected}. As visitas iriam para a conta do código: corrija um dos dois.`,
  }),
  idMissing: (expected: string): TagWarning => ({
    code: 'id_missing',
    message: `O ID ${expected} não aparece no código. Confira se o código é desta conta.`,
  }),
  conversionAtLoad: (vendor: string, hasLabel: boolean): TagWarning => ({
    code: 'conversion_at_load',
    message: `Este código envia uma conversão para ${vendor} assim que a página abre: cada visita com consentimento contaria como conversão. Remova essa parte do código${hasLabel ? ' e use o rótulo dela nos campos abaixo' : ': o site já envia uma conversão a cada clique'}.`,
  }),
  universalAnalytics: (account: string): TagWarning => ({
    code: 'universal_analytics',
    message: `${account} é do Universal Analytics, que o Google encerrou: nada mais é medido por ele. Use uma propriedade do GA4, com o ID que começa com "G-".`,
  }),
  sameId: (pixelId: string, other: string): TagWarning => ({
    code: 'same_id',
    message: `O ID ${pixelId} já está no pixel "${shorten(other)}". Com os dois ativos, cada visita conta duas vezes.`,
  }),
  leftOut: (): TagWarning => ({
    code: 'left_out',
    message:
      'Esta tag está fora do site: as tags ativas usam domínios demais, e esta é uma das que mais usa. Reduza os domínios do código ou desative outra tag.',
  }),
  hiddenContainer: (): TagWarning => ({
    code: 'hidden_container',
    message:
      'Este código carrega o Google Tag Manager. Mude o tipo para "Google Tag Manager". No tipo atual, o site bloqueia o que o contêiner carrega.',
  }),
} as const

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text
}

/** What vendors write where the customer's value belongs. Each pattern is short and linear. */
const PLACEHOLDERS: readonly RegExp[] = [
  /\b(?:YOUR|SEU|SUA|INSERT|ENTER|REPLACE)[_-][A-Z0-9_-]{2,40}\b/,
  /<(?:your|user|insert|seu|sua|customer|pixel|partner)[_ -][a-z0-9_ -]{1,40}>/i,
  /\[(?:your|insert|seu|sua)[_ -][a-z0-9_ -]{1,40}\]/i,
  /\{\{\s{0,4}[a-z0-9_. -]{1,40}\}\}/i,
  /\b(?:G|GTM|AW|DC|UA)-X{4,12}\b/,
  /\bX{8,20}\b/,
]

/** The first placeholder in the code that its author should have replaced, or null. */
export function findPlaceholder(code: string): string | null {
  for (const pattern of PLACEHOLDERS) {
    const found = pattern.exec(code)
    if (found !== null) return found[0]
  }
  return null
}
