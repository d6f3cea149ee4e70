import { formatMinute } from '#admin/lib/format-date.ts'
import type { HostDirective, PixelHost } from '#contract/tag-status.ts'

const DIRECTIVE_LABELS: Record<HostDirective, string> = {
  script: 'scripts',
  connect: 'envios',
  img: 'imagens',
  frame: 'quadros',
  style: 'estilos',
  font: 'fontes',
  form: 'formulários',
  media: 'mídia',
}

/** One host, with where each of its entries comes from. */
export interface HostEntry {
  host: string
  origins: { text: string; directives: string }[]
  /** Somebody permitted it, and can take that back. */
  isPermitted: boolean
}

const LIST = new Intl.ListFormat('pt-BR')

export function groupHosts(hosts: readonly PixelHost[]): HostEntry[] {
  const byHost = group(hosts, ({ host }) => host)
  return [...byHost].map(([host, entries]) => ({
    host,
    origins: [...group(entries, describeOrigin)].map(([text, same]) => ({
      text,
      directives: LIST.format(same.map(({ directive }) => DIRECTIVE_LABELS[directive])),
    })),
    isPermitted: entries.some(({ source }) => source === 'permitted'),
  }))
}

function describeOrigin({ source, by, at }: PixelHost): string {
  if (source === 'vendor') return 'do fornecedor'
  if (source === 'code') return 'do código'
  if (at === undefined) return 'permitido pelo serviço de dados'
  return `permitido por ${by ?? 'alguém'} em ${formatMinute(at)}`
}

function group(hosts: readonly PixelHost[], keyOf: (host: PixelHost) => string): Map<string, PixelHost[]> {
  const groups = new Map<string, PixelHost[]>()
  for (const host of hosts) groups.set(keyOf(host), [...(groups.get(keyOf(host)) ?? []), host])
  return groups
}
