import { Undo2 } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { LoadMore, QueryView } from '#admin/components/query-view.tsx'
import { SaibaMais } from '#admin/components/saiba-mais.tsx'
import { EmailAddress } from '#admin/components/text.tsx'
import { cn } from '#admin/lib/cn.ts'
import { formatList, formatMinute } from '#admin/lib/format.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { FieldChange, PixelVersion, VersionKind } from '#contract/pixel-history.ts'
import { CodeDifference } from '../code.tsx'
import { useHistory, useRestoreVersion } from './api.ts'

/** Versions with the whole pixel. */
const WHOLE: ReadonlySet<VersionKind> = new Set([
  'created',
  'changed',
  'switched_on',
  'switched_off',
  'restored',
])

/** Who changed what and when, by line, with restore. */
export function HistoryCard({ pixel }: { pixel: Pixel }) {
  const history = useHistory(pixel)
  const restore = useRestoreVersion(pixel)
  const versions = history.data?.pages.flatMap((page) => page.versions) ?? []
  const current = versions.find(({ kind }) => WHOLE.has(kind))
  const restoreFrom = (version: PixelVersion) =>
    restore.mutate({
      version,
      ...(current === undefined ? {} : { undo: () => restore.mutate({ version: current }) }),
    })
  return (
    <Card role="region" aria-labelledby="history-heading" aria-busy={history.isPending}>
      <header className="px-4 pt-4 pb-4 sm:px-5">
        <h3 id="history-heading" className="text-base tracking-tight">
          Histórico
        </h3>
        <p className="text-sm text-pretty text-text-2">
          Veja quem mudou o quê e restaure versões anteriores.
        </p>
        <SaibaMais about="sobre restaurar uma versão">
          <p>
            Ao restaurar, volta tudo o que o formulário tinha. Não mudam o status, o token e os domínios
            permitidos.
          </p>
        </SaibaMais>
      </header>
      <QueryView
        query={history}
        failure="Não foi possível carregar o histórico."
        loading={<div className="h-40" />}
      >
        {() => (
          <>
            <ol className="px-5 pb-4 sm:px-6">
              {versions.map((version, index) => (
                <VersionItem
                  key={version.id}
                  version={version}
                  isCurrent={index === 0}
                  isRestoring={restore.isPending}
                  onRestore={() => restoreFrom(version)}
                />
              ))}
            </ol>
            <LoadMore query={history} />
          </>
        )}
      </QueryView>
    </Card>
  )
}

const DONE: Record<VersionKind, string> = {
  created: 'adicionou o pixel',
  changed: 'alterou o pixel',
  switched_on: 'ativou o pixel',
  switched_off: 'desativou o pixel',
  deleted: 'excluiu o pixel',
  restored: 'restaurou o pixel da lixeira',
  host_permitted: 'permitiu um domínio',
  host_revoked: 'removeu a permissão de um domínio',
}

/** Versions whose label already says everything. */
const SAID: ReadonlySet<VersionKind> = new Set(['switched_on', 'switched_off'])

const ACTORS: Readonly<Record<string, string>> = {
  'service key': 'Um sistema integrado (chave de serviço)',
  'command line': 'Alguém com acesso ao servidor',
}

/** "alterou nome e código"; a version that changed nothing that is shown only says that it did. */
function whatWasDone({ kind, changes }: PixelVersion): string {
  if (kind !== 'changed' || changes.length === 0) return DONE[kind]
  return `alterou ${formatList(changes.map(nameChange))}`
}

/** Only the time of a secret is known. */
const STORED_AT = 'access_token_stored_at'

function nameChange({ field, label }: FieldChange): string {
  if (field === STORED_AT) return 'token'
  // An abbreviation keeps its capitals.
  return field === 'pixel_id' ? label : label.toLowerCase()
}

interface VersionItemProps {
  version: PixelVersion
  isCurrent: boolean
  isRestoring: boolean
  onRestore: () => void
}

function VersionItem({ version, isCurrent, isRestoring, onRestore }: VersionItemProps) {
  const at = formatMinute(version.at)
  const changes = SAID.has(version.kind) ? [] : version.changes
  return (
    <li className="relative border-l-2 border-line pb-6 pl-5 last:border-transparent last:pb-1">
      <span
        aria-hidden="true"
        className={cn(
          'absolute top-0.5 -left-[8px] h-4 w-3.5 rounded-[7px_7px_3px_3px] shadow-[inset_0_0_0_1.5px_var(--line-2)] forced-color-adjust-none',
          isCurrent ? 'bg-ink shadow-none' : 'bg-surface',
        )}
      />
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="min-w-0 flex-[1_1_14rem]">
          <p className="text-[0.9375rem]/snug wrap-anywhere">
            <b className="font-semibold">
              <EmailAddress value={ACTORS[version.by] ?? version.by} />
            </b>{' '}
            {whatWasDone(version)}
          </p>
          <p className="text-sm text-text-2">
            <time dateTime={version.at}>{at}</time>
            {isCurrent ? ' · versão atual' : null}
          </p>
        </div>
        {version.restorable ? (
          <Button
            look="outline"
            aria-label={`Restaurar esta versão, de ${at}`}
            pending={isRestoring}
            onClick={onRestore}
          >
            <Undo2 aria-hidden="true" />
            Restaurar esta versão
          </Button>
        ) : null}
      </div>
      {changes.length === 0 ? null : (
        <ul aria-label="O que mudou" className="mt-2 grid grid-cols-1 gap-2">
          {changes.map((change) => (
            <li key={change.field} className="text-sm">
              <Change change={change} />
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

function Change({ change }: { change: FieldChange }) {
  if ('lines' in change)
    return (
      <>
        <p className="pb-1 text-text-2">{change.label}</p>
        <CodeDifference lines={change.lines} added="Linha adicionada" removed="Linha removida" />
      </>
    )
  return (
    <p className="wrap-anywhere">
      <span className="text-text-2">{change.label}: </span>
      {change.before === null ? null : (
        <del className="bg-bad-bg px-1 text-bad decoration-1">{inWords(change.field, change.before)}</del>
      )}{' '}
      {change.after === null ? (
        <span className="text-text-2">vazio</span>
      ) : (
        <ins className="bg-ok-bg px-1 text-ok no-underline">{inWords(change.field, change.after)}</ins>
      )}
    </p>
  )
}

const inWords = (field: string, value: string) => (field === STORED_AT ? formatMinute(value) : value)
