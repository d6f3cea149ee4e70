import { useMemo, useRef, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Select } from '#admin/components/inputs.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { cn } from '#admin/lib/cn.ts'
import { formatKilobytes, formatMinute, formatTimestamp } from '#admin/lib/format.ts'
import { Link, paths } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import { formatCount } from '#contract/format-count.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { PolicySize } from '#contract/tag-status.ts'
import { type BlockedLine, listBlockedLines } from '../health.ts'
import { BlockedLineNote } from '../health-notes.tsx'
import { usePauseTags, useTagOverview } from '../tag-status.ts'

const NONE: readonly BlockedLine[] = []

/** What the page's policy stopped of nobody knows which pixel; the rest stands in the rows of its pixels. */
export function BlockedHosts({ pixels }: { pixels: readonly Pixel[] }) {
  const lines = useTagOverview(listBlockedLines).data ?? NONE
  const ids = useMemo(() => new Set(pixels.map(({ id }) => id)), [pixels])
  const nobodys = lines.filter(({ pixelIds }) => !pixelIds.some((id) => ids.has(id)))
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusAfterRemoval(nobodys.length, heading)
  if (nobodys.length === 0) return null
  return (
    <Card role="region" aria-label="Endereços bloqueados" className="mt-4">
      <header className="px-4 pt-3.5 pb-3 sm:px-5">
        <h3 ref={heading} tabIndex={-1} className="text-base tracking-tight focus:outline-0">
          Endereços bloqueados
        </h3>
        <p className="text-sm text-text-2">
          Alguma tag tentou falar com estes endereços, e ninguém sabe qual. Permita só os que você reconhece.
        </p>
      </header>
      <ul>
        {nobodys.map((line) => (
          <NobodysLine key={line.key} line={line} pixels={pixels} />
        ))}
      </ul>
    </Card>
  )
}

function NobodysLine({ line, pixels }: { line: BlockedLine; pixels: readonly Pixel[] }) {
  const [pixelId, setPixelId] = useState('')
  // Only what runs can have tried.
  const active = pixels.filter(({ is_active }) => is_active)
  const choice = (
    <Select
      small
      aria-label={`Para qual pixel permitir ${line.hosts.join(', ')}`}
      value={pixelId}
      onChange={(event) => setPixelId(event.target.value)}
      options={[['', 'Para qual pixel?'], ...active.map(({ id, name }) => [id, name] as const)]}
      className="max-w-56"
    />
  )
  return (
    <li className="border-t border-line py-2.5 pr-3 pl-4 sm:pl-5">
      <BlockedLineNote line={line} owner={{ choice, pixelId }} />
    </li>
  )
}

/** What an active container changes, in plain words. */
export function ContainerNotice() {
  const trusts = useTagOverview((overview) => overview.trusts_container).data ?? false
  if (!trusts) return null
  return (
    <div className="mt-4">
      <MessageBox look="info">
        Um contêiner do Tag Manager está ativo. Ninguém pode listar antes o que ele carrega, então a página
        confia em todo script que ele criar. Publique nele só o que você conhece. Variáveis de JavaScript
        personalizado não funcionam, porque a página não deixa montar código a partir de texto.
      </MessageBox>
    </div>
  )
}

/** When nobody can say how the pixels are doing, or only how they were. */
export function HealthNotice() {
  const { data, isError, dataUpdatedAt, refetch } = useTagOverview((overview) => overview.paused)
  if (!isError) return null
  const isOld = data !== undefined
  return (
    <div className="border-b border-line px-3 py-2.5">
      <MessageBox
        look="info"
        actions={
          <Button look="outline" onClick={() => void refetch()}>
            Perguntar de novo
          </Button>
        }
      >
        {isOld
          ? `O servidor não respondeu: a saúde dos pixels é a de ${formatMinute(new Date(dataUpdatedAt).toISOString())}.`
          : 'Não deu para saber como os pixels estão no site.'}
      </MessageBox>
    </div>
  )
}

/**
 * Stops every tag at once, and says who did and when. It is for emergencies, so it is there also while nobody knows how
 * the tags are doing: then it is a button that stops them, for a switch would have to show a state.
 */
export function PauseSwitch() {
  const { data: paused, isError } = useTagOverview((overview) => overview.paused)
  const { pause, isPending } = usePauseTags()
  const on = paused !== undefined && paused !== null
  return (
    <div
      className={cn(
        'flex flex-wrap items-center gap-x-3.5 border-b border-line px-4 py-2 sm:pl-5',
        on ? 'bg-warn-bg text-warn' : 'text-text-2',
      )}
    >
      <button
        type="button"
        {...(paused === undefined ? {} : { role: 'switch', 'aria-checked': on })}
        aria-describedby="pause-note"
        aria-disabled={isPending}
        onClick={() => pause(!on)}
        className="inline-flex min-h-11 items-center text-left gap-2.5 text-[0.9375rem] font-semibold text-ink"
      >
        <span
          aria-hidden="true"
          className={cn(
            'toggle relative h-6 w-10 flex-none rounded-full transition-colors',
            on ? 'toggle-on bg-warn' : 'bg-line-2',
          )}
        >
          <span
            className={cn(
              'absolute top-0.5 left-0.5 size-5 rounded-full bg-surface transition-transform',
              on && 'translate-x-4',
            )}
          />
        </span>
        Pausar tudo
      </button>
      <p id="pause-note" className="min-w-0 flex-[1_1_13rem] py-1 text-sm text-pretty wrap-anywhere">
        {paused
          ? `Pausado por ${paused.by}, ${formatTimestamp(paused.at)}. Nenhuma tag roda no site; ao retomar, voltam como estavam.`
          : isError && paused === undefined
            ? 'Não deu para saber se as tags estão pausadas. Pausar funciona mesmo assim.'
            : 'Interrompe todas as tags do site de uma vez.'}
      </p>
    </div>
  )
}

/** Before the hosts of the tags no longer fit into the head of the page: how full it is, and of whose hosts. */
export function PolicyNotice() {
  const policy = useTagOverview((overview) => overview.policy).data
  if (policy === undefined || policy.bytes < policy.warn_from) return null
  return (
    <div className="mt-4">
      <MessageBox look="warn" advice={advise(policy)}>
        Os hosts das tags ativas deixam o cabeçalho da página com {toKilobytes(policy.bytes)} (o limite é{' '}
        {toKilobytes(policy.limit)}).
      </MessageBox>
    </div>
  )
}

function advise({ bytes, limit, largest }: PolicySize): string {
  const risk =
    bytes >= limit
      ? 'As tags que não couberam ficaram fora da página.'
      : 'Um servidor intermediário com a configuração de fábrica (nginx: 4 KB) pode recusar a página.'
  const names = largest.map(({ name, hosts }) => `${name} (${formatCount(hosts, 'host', 'hosts')})`)
  return `${risk} Quem usa mais: ${names.join(', ')}. Desative uma delas ou tire endereços do código.`
}

function toKilobytes(bytes: number): string {
  return formatKilobytes(bytes)
}

/** These bring code that nobody can read beforehand. */
const RISKY = new Set<Pixel['type']>(['custom', 'google_tag_manager'])

export function SharedOriginNotice({ pixels }: { pixels: readonly Pixel[] }) {
  const { boot } = useServices()
  if (!boot.sharedOrigin || !pixels.some((pixel) => pixel.is_active && RISKY.has(pixel.type))) return null
  return (
    <div className="mt-4">
      <MessageBox look="info">
        O site e este painel usam o mesmo endereço. Com uma tag personalizada ou do Tag Manager ativa, o mais
        seguro é dar ao painel um endereço próprio: peça a quem cuida do servidor para configurar{' '}
        <code>ADMIN_URL</code>.
      </MessageBox>
    </div>
  )
}

/** On every screen but the list, which has the switch: that no tag runs at the moment. */
export function PausedNotice() {
  const { data: paused } = useTagOverview((overview) => overview.paused)
  if (!paused) return null
  return (
    <div className="mb-4">
      <MessageBox
        look="warn"
        actions={
          <Link
            href={paths.list}
            className="inline-flex min-h-11 items-center font-semibold underline underline-offset-4"
          >
            Ver a pausa na lista de pixels
          </Link>
        }
      >
        Todas as tags estão pausadas: nenhuma roda no site. Quem pausou: {paused.by},{' '}
        {formatTimestamp(paused.at)}.
      </MessageBox>
    </div>
  )
}
