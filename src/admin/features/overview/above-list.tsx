import { Suspense } from 'react'
import { lazyPart, ScreenBoundary } from '#admin/components/error-boundary.tsx'
import { useNotices } from '#admin/lib/notices.ts'
import type { FirstSteps as Known } from '#contract/admin-page.ts'
import { TodayStrip } from './today-strip.tsx'

interface ListProps {
  /** Undefined until the list has loaded. */
  pixels: readonly { id: string; is_active: boolean }[] | undefined
  onAdd: () => void
}

interface AboveListProps extends ListProps {
  /** Number of pixels with a problem; undefined if unknown. */
  problems: number | undefined
}

/** Today's figures; instead of them, above an empty list, what a new installation still needs. */
export function AboveList({ pixels, onAdd, problems }: AboveListProps) {
  const { known, isPending } = useKnownSteps(pixels)
  if (pixels?.length === 0 && isPending) return <Reserved />
  if (pixels?.length !== 0 || known === null)
    return (
      <TodayStrip problems={problems} active={pixels?.filter(({ is_active: isActive }) => isActive).length} />
    )
  return (
    <ScreenBoundary>
      <Suspense fallback={<Reserved />}>
        <FirstSteps known={known} pixels={pixels} onAdd={onAdd} />
      </Suspense>
    </ScreenBoundary>
  )
}

/** What is left to do once there is a pixel. It comes after the list, because it loads later and must not move it. */
export function BelowList({ pixels = [], onAdd }: ListProps) {
  const { known } = useKnownSteps(pixels)
  if (pixels.length === 0 || known === null) return null
  return (
    <ScreenBoundary>
      <Suspense>
        <div className="mt-4">
          <FirstSteps known={known} pixels={pixels} onAdd={onAdd} />
        </div>
      </Suspense>
    </ScreenBoundary>
  )
}

/** Asked again when the list opens later: a step may have been done meanwhile. */
const STEPS_FRESH_MS = 10_000

/** Null if they are unknown, hidden or all done. */
function useKnownSteps(pixels: readonly unknown[] | undefined): { known: Known | null; isPending: boolean } {
  const { data, isPending } = useNotices({ staleTime: STEPS_FRESH_MS })
  const { hidden, ...steps } = data?.first_steps ?? { hidden: true }
  const isDone = pixels?.length !== 0 && Object.values(steps).every((done) => done)
  return { known: hidden || isDone ? null : (data?.first_steps ?? null), isPending }
}

function Reserved() {
  return <div aria-busy="true" className="today on-ink mb-4 rounded-2xl" />
}

/** Most sessions never load it. */
const FirstSteps = lazyPart(async () => (await import('./first-steps.tsx')).FirstSteps)
