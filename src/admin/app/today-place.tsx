import { Suspense } from 'react'
import { ScreenBoundary } from '../components/screen-boundary.tsx'
import { useProblemCount } from '../features/pixels/api/problem-count.ts'
import { TodayStrip } from './lazy-screens.ts'

/** Its code and its figures come after the list, in a place that is kept for them; without either, the list goes on. */
export function TodayPlace() {
  const problems = useProblemCount()
  return (
    <ScreenBoundary>
      <Suspense fallback={<div aria-busy="true" className="today on-ink mb-4 rounded-2xl" />}>
        <TodayStrip problems={problems} />
      </Suspense>
    </ScreenBoundary>
  )
}
