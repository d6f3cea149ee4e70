import type { OptionalCategory } from '#contract/consent.ts'
import { CONSENT_COOKIE, CONSENT_MAX_AGE_DAYS, OPTIONAL_CATEGORIES } from '#contract/consent-choice.ts'
import type { ActiveTool, ActiveToolList, ToolCookie } from '#contract/inventory.ts'
import { SITE_TIME_ZONE, type SiteInfo } from '#contract/site.ts'
import { LEGAL_DATE, type LegalBlock, type LegalDocument, type LegalParties } from './document.ts'

interface ActiveToolsProps {
  list: ActiveToolList
  site: SiteInfo
  /** Of its heading, after the sections of the text. */
  number: number
}

/** The tools that are on the site now, with a date of their own. */
export function ActiveTools({ list, site, number }: ActiveToolsProps) {
  return (
    <section className="tools">
      <h2 id="agora">{`${number}. ${TOOLS_TITLE}`}</h2>
      <p>{toolsDateLine(list)}</p>
      {groupTools(list, site).map(({ title, when, tools }) => (
        <section key={title}>
          <h3>{title}</h3>
          <p>{tools.length === 0 ? 'Nenhuma ferramenta em uso agora.' : when}</p>
          {tools.length === 0 ? null : <ToolTable title={title} tools={tools} />}
        </section>
      ))}
    </section>
  )
}

function ToolTable({ title, tools }: { title: string; tools: readonly PolicyTool[] }) {
  return (
    <table aria-label={title}>
      <thead>
        <tr>
          <th scope="col">Quem</th>
          <th scope="col">Para quê</th>
          <th scope="col">Cookies e por quanto tempo</th>
        </tr>
      </thead>
      <tbody>
        {tools.map((tool) => (
          <tr key={tool.name + tool.purpose}>
            <th scope="row">
              {tool.name}
              <small>{tool.owner}</small>
            </th>
            <td>{tool.purpose}</td>
            <td>
              {tool.cookies.length === 0 ? tool.none : null}
              {tool.cookies.map(({ name, detail }) => (
                <div key={name + detail} className="left">
                  <code>{name}</code> <span>{detail}</span>
                </div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const TOOLS_TITLE = 'O que está no site agora'

const GROUP_TITLES: Record<OptionalCategory, string> = {
  desempenho: 'Desempenho',
  funcionalidade: 'Funcionalidade',
  marketing: 'Marketing',
}

interface ToolGroup {
  title: string
  when: string
  tools: readonly PolicyTool[]
}

/** A tool in the words of the policy. */
interface PolicyTool {
  name: string
  owner: string
  purpose: string
  cookies: readonly { name: string; detail: string }[]
  /** In place of cookies, where none is known. */
  none: string | null
}

/** The policy's groups, essentials first; one without tools is named too, so that nothing seems forgotten. */
function groupTools({ tools }: ActiveToolList, parties: LegalParties): ToolGroup[] {
  return [
    { title: 'Essenciais', when: 'Sempre ativos.', tools: [ownCookie(parties)] },
    ...OPTIONAL_CATEGORIES.map((category) => ({
      title: GROUP_TITLES[category],
      when: 'Só com o seu consentimento.',
      tools: tools.filter((tool) => tool.category === category).map(toPolicyTool),
    })),
  ]
}

function toolsDateLine({ changed_at }: ActiveToolList): string {
  return `Lista de ${dateOf(changed_at)}. Ela muda sozinha quando uma ferramenta entra ou sai do site; o restante desta política é de ${LEGAL_DATE.toLowerCase()}.`
}

/** The same as blocks of the text, which the dialog shows as it shows the rest. */
export function withActiveTools(
  document: LegalDocument,
  list: ActiveToolList,
  parties: LegalParties,
): LegalDocument {
  const blocks = groupTools(list, parties).flatMap(({ title, when, tools }): LegalBlock[] =>
    tools.length === 0
      ? [`${title}: nenhuma ferramenta em uso agora.`]
      : [`${title}. ${when}`, tools.map(toSentence)],
  )
  return {
    ...document,
    sections: [...document.sections, { title: TOOLS_TITLE, blocks: [toolsDateLine(list), ...blocks] }],
  }
}

function toSentence({ name, owner, purpose, cookies, none }: PolicyTool): string {
  const left = cookies.map((cookie) => `${cookie.name}, ${cookie.detail}`).join('; ')
  return `${name} (${owner}). ${purpose} ${left === '' ? (none ?? '') : `Grava ${left}.`}`.trim()
}

function ownCookie({ brandName }: LegalParties): PolicyTool {
  return {
    name: brandName,
    owner: 'nós mesmos',
    purpose: 'Lembra a sua escolha sobre cookies.',
    cookies: [{ name: CONSENT_COOKIE, detail: `${CONSENT_MAX_AGE_DAYS} dias` }],
    none: null,
  }
}

function toPolicyTool(tool: ActiveTool): PolicyTool {
  return {
    name: tool.name,
    owner: ownerOf(tool),
    purpose: [tool.purpose, wayOf(tool), hostsOf(tool)].filter((text) => text !== '').join(' '),
    cookies: tool.cookies.map((cookie) => ({ name: cookie.name, detail: detailOf(cookie) })),
    none: tool.vendor === null ? null : 'Não se conhece cookie desta ferramenta.',
  }
}

const COUNTRIES = new Intl.DisplayNames('pt-BR', { type: 'region' })

function ownerOf({ company, country }: ActiveTool): string {
  if (company === null) return 'deste site'
  return country === null ? company : `${company}, ${COUNTRIES.of(country) ?? country}`
}

function wayOf({ vendor, told_by }: ActiveTool): string {
  if (vendor === null || !told_by.includes('server')) return ''
  return told_by.includes('browser')
    ? 'Parte do que se mede vai do nosso servidor.'
    : 'O que se mede vai do nosso servidor; nada desta empresa é carregado no seu navegador.'
}

function hostsOf({ vendor, told_by, hosts }: ActiveTool): string {
  if (hosts.length > 0)
    return `${vendor === null ? 'Pode falar' : 'Pode falar também'} com ${hosts.join(', ')}.`
  return vendor === null && told_by.includes('browser') ? 'Não pede nenhum endereço além deste site.' : ''
}

function detailOf({ duration, domain, kind }: ToolCookie): string {
  return `${kind === 'cookie' ? '' : 'armazenamento, '}${duration}${domain === null ? '' : `, em ${domain}`}`
}

const DATE = new Intl.DateTimeFormat('pt-BR', { dateStyle: 'long', timeZone: SITE_TIME_ZONE })

const TIME = new Intl.DateTimeFormat('pt-BR', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
  timeZone: SITE_TIME_ZONE,
})

function dateOf(iso: string): string {
  const date = new Date(iso)
  return `${DATE.format(date)}, às ${TIME.format(date).replace(':', 'h')} (horário de Brasília)`
}
