import { formatMinute } from '#admin/lib/format-date.ts'
import { openHere } from '#admin/lib/open-here.ts'
import { testPath } from '#admin/lib/places.ts'
import type { TestSummary, TestVerdict } from '#contract/tag-test.ts'
import { HealthDoor } from '../components/health-door.tsx'

function doorOf({ health, confirmed }: Pick<TestVerdict, 'health' | 'confirmed'>) {
  return health === 'working' && !confirmed ? 'unconfirmed' : health
}

/** The last tests of a pixel; one's own are opened by their result. */
export function PastTests({ pixelId, tests }: { pixelId: string; tests: readonly TestSummary[] }) {
  return (
    <ul className="pb-1">
      {tests.map(({ id, verdict, created_at, by, is_mine }) => {
        const path = testPath(pixelId, id)
        return (
          <li
            key={id}
            className="flex items-start gap-3 border-t border-line px-4 py-3 first:border-t-0 sm:px-5"
          >
            <HealthDoor health={doorOf(verdict)} className="mt-0.5" />
            <div className="min-w-0 flex-1 wrap-anywhere">
              {is_mine ? (
                <a
                  href={path}
                  onClick={(event) => openHere(event, path)}
                  className="-my-2.5 inline-block py-2.5 underline decoration-line-2 underline-offset-4 hover:decoration-ink"
                >
                  {verdict.title}
                </a>
              ) : (
                verdict.title
              )}
              <p className="text-sm text-text-2">
                {formatMinute(created_at)}, {by}
              </p>
            </div>
          </li>
        )
      })}
    </ul>
  )
}
