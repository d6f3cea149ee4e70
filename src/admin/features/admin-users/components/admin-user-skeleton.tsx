import { Card } from '#admin/components/card.tsx'
import { ListTable } from '#admin/components/list-table.tsx'
import { ListToolbar } from '#admin/components/list-toolbar.tsx'
import { Skeleton } from '#admin/components/skeleton.tsx'
import { CELL, LABELLED_CELL } from '#admin/components/table-style.ts'
import { ADMIN_USER_ROW, ADMIN_USER_TABLE_COLUMNS } from './admin-user-table.tsx'

export function AdminUserSkeleton() {
  return (
    <Card aria-busy="true">
      <p role="status" className="sr-only">
        Carregando usuários
      </p>
      <div aria-hidden="true">
        <ListToolbar summary={<Skeleton className="my-1.5 h-3 w-40 rounded-md" />} />
        <ListTable
          label="Carregando"
          columns={ADMIN_USER_TABLE_COLUMNS}
          items={[{ id: 1 }, { id: 2 }, { id: 3 }]}
          rowClassName={() => ADMIN_USER_ROW}
          renderCells={() => <SkeletonCells />}
        />
      </div>
    </Card>
  )
}

function SkeletonCells() {
  return (
    <>
      <td className={CELL}>
        <Skeleton className="my-1 h-3 w-48 rounded-md" />
        <Skeleton className="mt-2.5 mb-1.5 h-2.5 w-20 rounded-md" />
      </td>
      <td data-label="Função" className={LABELLED_CELL}>
        <Skeleton className="h-7 w-20 rounded-full" />
      </td>
      <td data-label="Criado em" className={LABELLED_CELL}>
        <Skeleton className="my-1.5 h-3 w-24 rounded-md" />
      </td>
      <td className={`${CELL} card:col-start-2 card:row-start-1`}>
        <Skeleton className="ml-auto h-5 w-16 rounded-md" />
      </td>
    </>
  )
}
