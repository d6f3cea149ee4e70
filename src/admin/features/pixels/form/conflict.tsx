import { useQuery } from '@tanstack/react-query'
import { QuietButton } from '#admin/components/button.tsx'
import { Skeleton } from '#admin/components/query-view.tsx'
import { formatMinute } from '#admin/lib/format.ts'
import { useSettled } from '#admin/lib/queries.ts'
import { useCurrentUser, useServices } from '#admin/lib/services.tsx'
import { ACTIVITY_ACTORS } from '#contract/activity.ts'
import type { Pixel } from '#contract/pixel.ts'
import type { FieldChange, PixelConflict } from '#contract/pixel-history.ts'
import { CodeDifference } from '../code.tsx'
import { type PixelForm, toRow } from './schema.ts'

interface ConflictViewProps {
  /** The version that another person saved. */
  theirs: Pixel
  form: PixelForm
}

/** Both versions of a pixel that two people edited, and their differences. */
export function ConflictView({ theirs, form }: ConflictViewProps) {
  const conflict = useConflict(theirs, form)
  return (
    <section aria-label="Comparação das duas versões" aria-busy={conflict.isPending} className="grid gap-3">
      {conflict.data ? (
        <Differences conflict={conflict.data} />
      ) : conflict.isError ? (
        <p className="text-sm text-text-2">
          Não foi possível comparar as versões.
          <QuietButton className="mx-0 inline px-0" onClick={() => void conflict.refetch()}>
            Tentar novamente
          </QuietButton>
        </p>
      ) : (
        <>
          <p role="status" className="sr-only">
            Comparando as versões
          </p>
          <Skeleton className="h-4 w-56 rounded-md" />
        </>
      )}
    </section>
  )
}

function Differences({ conflict: { saved_by, saved_at, changes } }: { conflict: PixelConflict }) {
  const { email } = useCurrentUser()
  const by =
    saved_by === null ? 'autor desconhecido' : saved_by === email ? 'você, em outra janela' : saved_by
  return (
    <>
      <dl className="grid gap-3 text-sm sm:grid-cols-2">
        <Author
          title="Versão salva"
          who={ACTIVITY_ACTORS[by] ?? by}
          what={`em ${formatMinute(saved_at)}`}
          sign="−"
        />
        <Author title="Sua versão" who={email} what="ainda não salva" sign="+" />
      </dl>
      {changes.length === 0 ? (
        <p className="text-sm text-text-2">As duas versões são iguais. Use a versão salva.</p>
      ) : (
        <ul aria-label="Diferenças" className="grid grid-cols-1 gap-3">
          {changes.map((change) => (
            <li key={change.field} className="min-w-0 text-sm">
              <Difference change={change} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

interface AuthorProps {
  title: string
  who: string
  what: string
  /** The sign of its lines in the code. */
  sign: string
}

function Author({ title, who, what, sign }: AuthorProps) {
  return (
    <div className="min-w-0 rounded-1 px-3.5 py-2.5 shadow-[inset_0_0_0_1px_var(--line)]">
      <dt className="flex items-center gap-2 font-semibold">
        <span
          aria-hidden="true"
          className={`grid size-5 flex-none place-items-center rounded-md font-mono ${sign === '+' ? 'bg-ok-bg text-ok' : 'bg-bad-bg text-bad'}`}
        >
          {sign}
        </span>
        {title}
      </dt>
      <dd className="text-text-2 wrap-anywhere">
        {who}, {what}
      </dd>
    </div>
  )
}

function Difference({ change }: { change: FieldChange }) {
  if ('lines' in change)
    return (
      <>
        <p className="pb-1 font-semibold">{change.label}</p>
        <CodeDifference lines={change.lines} added="Só na sua versão" removed="Só na versão salva" />
      </>
    )
  return (
    <>
      <p className="font-semibold">{change.label}</p>
      <p className="wrap-anywhere">
        <span className="text-text-2">Versão salva: </span>
        {change.before ?? 'vazio'}
      </p>
      <p className="wrap-anywhere">
        <span className="text-text-2">Sua versão: </span>
        {change.after ?? 'vazio'}
      </p>
    </>
  )
}

/** Compares what is typed with what another person saved, again after each pause. */
function useConflict({ id, updated_at }: Pick<Pixel, 'id' | 'updated_at'>, form: PixelForm) {
  const { admin } = useServices()
  // A typed secret is sent only when it is saved.
  const { access_token: _secret, ...columns } = toRow(form)
  const typed = useSettled(JSON.stringify(columns))
  return useQuery({
    queryKey: ['conflict', id, updated_at, typed],
    queryFn: ({ signal }) =>
      admin<PixelConflict>(`/pixels/${id}/compare`, { method: 'POST', body: JSON.parse(typed), signal }),
    placeholderData: (former) => former,
  })
}
