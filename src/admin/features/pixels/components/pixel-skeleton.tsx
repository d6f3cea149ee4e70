import { Card } from '#admin/components/card.tsx'
import { ListTable } from '#admin/components/list-table.tsx'
import { ListToolbar } from '#admin/components/list-toolbar.tsx'
import { Skeleton } from '#admin/components/skeleton.tsx'
import { CELL, LABELLED_CELL } from '#admin/components/table-style.ts'
import { PauseSwitch } from './pause-switch.tsx'
import { PIXEL_COLUMNS, PIXEL_ROW } from './pixel-table.tsx'

/** The table's own shape, so that nothing moves when the pixels arrive. */
export function PixelSkeleton() {
  return (
    <Card aria-busy="true">
      <PauseSwitch />
      <p role="status" className="sr-only">
        Carregando pixels
      </p>
      <div aria-hidden="true">
        <ListToolbar summary={<Skeleton className="my-1.5 h-3 w-36 rounded-md" />} aside={null} />
        <ListTable
          label="Carregando"
          columns={PIXEL_COLUMNS}
          items={[{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }]}
          rowClassName={() => PIXEL_ROW}
          renderCells={() => <SkeletonCells />}
        />
      </div>
    </Card>
  )
}

function SkeletonCells() {
  return (
    <>
      <td className={`${CELL} card:col-span-2`}>
        <div className="flex items-center gap-3.5">
          <Skeleton className="h-11 w-10 rounded-[20px_20px_6px_6px]" />
          <div>
            <Skeleton className="h-3 w-38 rounded-md" />
            <Skeleton className="mt-2.5 h-2.5 w-20 rounded-md" />
          </div>
        </div>
      </td>
      <td data-label="Tipo" className={LABELLED_CELL}>
        <Skeleton className="my-1.5 h-3 w-24 rounded-md" />
      </td>
      <td data-label="ID/Código" className={LABELLED_CELL}>
        <Skeleton className="my-1.5 h-3 w-32 rounded-md" />
      </td>
      <td className={CELL}>
        <Skeleton className="my-2 h-7 w-18 rounded-full" />
      </td>
      <td className={CELL}>
        <Skeleton className="ml-auto h-5 w-27 rounded-md" />
      </td>
    </>
  )
}
