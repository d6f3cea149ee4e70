import { Undo2 } from 'lucide-react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { LoadMore, QueryView } from '#admin/components/query-view.tsx'
import { EmailAddress } from '#admin/components/text.tsx'
import { cn } from '#admin/lib/cn.ts'
import { formatList, formatMinute } from '#admin/lib/format.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { FieldChange, PixelVersion, VersionKind } from '#contract/pixel-history.ts'
import { CodeDifference } from '../code.tsx'
import { useHistory, useRestoreVersion } from './api.ts'

/** Those that hold the whole pixel. */
const WHOLE: ReadonlySet<VersionKind> = new Set([
  'created',
  'changed',
  'switched_on',
  'switched_off',
  'restored',
])

/** Who changed what and when, line by line, and the way back. */
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
          Quem mudou o quê, linha por linha. Restaurar traz de volta tudo o que o formulário tinha; o status,
          o token e os endereços permitidos ficam como estão.
        </p>
      </header>
      <QueryView
        query={history}
        failure="Não deu para ler o histórico deste pixel."
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
  changed: 'mudou o pixel',
  switched_on: 'ativou o pixel',
  switched_off: 'desativou o pixel',
  deleted: 'excluiu o pixel',
  restored: 'restaurou o pixel da lixeira',
  host_permitted: 'permitiu um endereço',
  host_revoked: 'revogou um endereço',
}

/** What their word already says is not said again. */
const SAID: ReadonlySet<VersionKind> = new Set(['switched_on', 'switched_off'])

const ACTORS: Readonly<Record<string, string>> = {
  'service key': 'Um programa, com a chave de serviço,',
  'command line': 'Alguém no servidor',
}

/** "mudou nome e código"; a version that changed nothing that is shown only says that it did. */
function whatWasDone({ kind, changes }: PixelVersion): string {
  if (kind !== 'changed' || changes.length === 0) return DONE[kind]
  return `mudou ${formatList(changes.map(nameChange))}`
}

/** Of a secret only the time is known at which it was stored. */
const STORED_AT = 'access_token_stored_at'

function nameChange({ field, label }: FieldChange): string {
  if (field === STORED_AT) return 'token'
  // An abbreviation stays in capitals.
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
            {isCurrent ? ' · como está agora' : null}
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
        <CodeDifference lines={change.lines} added="Linha nova" removed="Linha tirada" />
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
