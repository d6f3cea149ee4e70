import { useMemo, useRef, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { Select } from '#admin/components/inputs.tsx'
import { MessageBox } from '#admin/components/message.tsx'
import { useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { cn } from '#admin/lib/cn.ts'
import { formatKilobytes, formatMinute } from '#admin/lib/format.ts'
import { Link, paths } from '#admin/lib/router.tsx'
import { useServices } from '#admin/lib/services.tsx'
import { formatCount } from '#contract/format-count.ts'
import type { PixelType } from '#contract/pixel.ts'
import type { PolicySize } from '#contract/tag-status.ts'
import type { ListedPixel } from '../api.ts'
import { type BlockedLine, listBlockedLines } from '../health.ts'
import { BlockedLineNote } from '../health-notes.tsx'
import { usePauseTags, useTagOverview } from '../tag-status.ts'

const NONE: readonly BlockedLine[] = []

/** What the page's policy stopped of nobody knows which pixel; the rest stands in the rows of its pixels. */
export function BlockedHosts({ pixels }: { pixels: readonly ListedPixel[] }) {
  const lines = useTagOverview(listBlockedLines).data ?? NONE
  const ids = useMemo(() => new Set(pixels.map(({ id }) => id)), [pixels])
  const nobodys = lines.filter(({ pixelIds }) => !pixelIds.some((id) => ids.has(id)))
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusAfterRemoval(nobodys.length, heading)
  if (nobodys.length === 0) return null
  return (
    <Card role="region" aria-label="Domínios bloqueados" className="mt-4">
      <header className="px-4 pt-3.5 pb-3 sm:px-5">
        <h3 ref={heading} tabIndex={-1} className="text-base tracking-tight focus:outline-0">
          Domínios bloqueados
        </h3>
        <p className="text-sm text-text-2">
          Uma tag tentou se comunicar com estes domínios, mas não foi possível identificar qual. Permita só os
          que você reconhece.
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

function NobodysLine({ line, pixels }: { line: BlockedLine; pixels: readonly ListedPixel[] }) {
  const [pixelId, setPixelId] = useState('')
  // Only what runs can have tried.
  const active = pixels.filter(({ is_active }) => is_active)
  const choice = (
    <Select
      small
      aria-label={`Escolha o pixel que pode usar ${line.hosts.join(', ')}`}
      value={pixelId}
      onChange={(event) => setPixelId(event.target.value)}
      options={[['', 'Escolha o pixel'], ...active.map(({ id, name }) => [id, name] as const)]}
      className="max-w-56"
    />
  )
  return (
    <li className="border-t border-line py-2.5 pr-3 pl-4 sm:pl-5">
      <BlockedLineNote line={line} owner={{ choice, pixelId }} />
    </li>
  )
}

/** What an active container changes. */
export function ContainerNotice() {
  const trusts = useTagOverview((overview) => overview.trusts_container).data ?? false
  if (!trusts) return null
  return (
    <div className="mt-4">
      <MessageBox
        look="info"
        actions={
          <SaibaMais about="sobre o contêiner">
            <p>Não é possível saber antes o que o contêiner vai carregar.</p>
            <p>
              Variáveis do tipo "JavaScript personalizado" não funcionam, porque o site não permite criar
              código a partir de texto.
            </p>
          </SaibaMais>
        }
      >
        Há um contêiner do Tag Manager ativo. Publique nele só tags que você conhece: o site confia em tudo o
        que ele carrega.
      </MessageBox>
    </div>
  )
}

/** Shown when health is unknown or outdated. */
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
            Tentar novamente
          </Button>
        }
      >
        {isOld
          ? `O servidor não respondeu. Os dados de funcionamento são de ${formatMinute(new Date(dataUpdatedAt).toISOString())}.`
          : 'Não foi possível verificar se os pixels estão funcionando.'}
      </MessageBox>
    </div>
  )
}

/**
 * Pauses every tag, and says who did it and when. It is for emergencies, so it is available while the state is unknown:
 * then as a button, because a switch would have to show a state.
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
        Pausar todas as tags
      </button>
      <p id="pause-note" className="min-w-0 flex-[1_1_13rem] py-1 text-sm text-pretty wrap-anywhere">
        {paused
          ? `Pausado por ${paused.by} em ${formatMinute(paused.at)}. Nenhuma tag funciona no site. Ao retomar, elas voltam como estavam.`
          : isError && paused === undefined
            ? 'Não foi possível verificar se as tags estão pausadas. Você pode pausar mesmo assim.'
            : 'Para todas as tags do site de uma vez. Use em emergências.'}
      </p>
    </div>
  )
}

/** Warns before the hosts no longer fit into the page's headers: size and largest pixels. */
export function PolicyNotice() {
  const policy = useTagOverview((overview) => overview.policy).data
  if (policy === undefined || policy.bytes < policy.warn_from) return null
  return (
    <div className="mt-4">
      <MessageBox look="warn" advice={advise(policy)}>
        As tags ativas usam domínios demais: {toKilobytes(policy.bytes)} de {toKilobytes(policy.limit)}{' '}
        permitidos.
      </MessageBox>
    </div>
  )
}

function advise({ bytes, limit, largest }: PolicySize): string {
  const risk =
    bytes >= limit
      ? 'Algumas tags ficaram fora do site.'
      : 'Alguns servidores intermediários (nginx com a configuração padrão) podem recusar a página.'
  const names = largest.map(({ name, hosts }) => `${name} (${formatCount(hosts, 'domínio', 'domínios')})`)
  return `${risk} Desative uma tag ou remova domínios do código. As que mais usam: ${names.join(', ')}.`
}

function toKilobytes(bytes: number): string {
  return formatKilobytes(bytes)
}

/** These bring code that nobody can read beforehand. */
const RISKY = new Set<PixelType>(['custom', 'google_tag_manager'])

export function SharedOriginNotice({ pixels }: { pixels: readonly ListedPixel[] }) {
  const { boot } = useServices()
  if (!boot.sharedOrigin || !pixels.some((pixel) => pixel.is_active && RISKY.has(pixel.type))) return null
  return (
    <div className="mt-4">
      <MessageBox look="info">
        O site e o painel usam o mesmo endereço. Com tags personalizadas ou do Tag Manager ativas, é mais
        seguro separar os dois. Peça à equipe de TI para configurar <code>ADMIN_URL</code>.
      </MessageBox>
    </div>
  )
}

/** On every screen but the list, which has the switch: no tag runs now. */
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
        Todas as tags estão pausadas. Pausado por {paused.by} em {formatMinute(paused.at)}.
      </MessageBox>
    </div>
  )
}
