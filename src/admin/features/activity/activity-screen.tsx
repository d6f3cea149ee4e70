import { useState } from 'react'
import { Card } from '#admin/components/card.tsx'
import { CsvButton } from '#admin/components/csv-button.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { Skeleton } from '#admin/components/skeleton.tsx'
import { useSettled } from '#admin/lib/use-settled.ts'
import { ActivityList } from './activity-list.tsx'
import { type ActivityWish, NO_WISH, useActivity, useExportActivity } from './read-activity.ts'

/** Who did what in the dashboard and by the server's keys, for as long as it is kept. */
export function ActivityScreen() {
  const [wish, setWish] = useState<ActivityWish>(NO_WISH)
  const activity = useActivity({ ...wish, search: useSettled(wish.search) })
  const save = useExportActivity()
  return (
    <>
      <PageHeading
        title="Atividade"
        subtitle="Quem fez o quê: pixels, pessoas e logins."
        action={<CsvButton isPending={save.isPending} onSave={() => save.mutate(wish)} />}
      />
      <Card aria-busy={activity.isPending}>
        {activity.data ? (
          <ActivityList
            pages={activity.data.pages}
            wish={wish}
            onWish={setWish}
            more={
              activity.hasNextPage
                ? { isLoading: activity.isFetchingNextPage, load: () => void activity.fetchNextPage() }
                : null
            }
          />
        ) : activity.isError ? (
          <LoadFailure
            error={activity.error}
            fallback="Não deu para carregar a atividade."
            onRetry={() => void activity.refetch()}
          />
        ) : (
          <div className="grid gap-4 p-5">
            <p role="status" className="sr-only">
              Carregando a atividade
            </p>
            <Skeleton className="h-4 w-56 rounded-md" />
            <Skeleton className="h-3 w-72 max-w-full rounded-md" />
          </div>
        )}
      </Card>
    </>
  )
}
