import type { Column } from '#admin/components/framed-table.tsx'
import { ListTable } from '#admin/components/list-table.tsx'
import { ROW } from '#admin/components/table-style.ts'
import type { AdminUser } from '#contract/accounts.ts'
import { AdminUserCells } from './admin-user-cells.tsx'

export const ADMIN_USER_TABLE_COLUMNS: readonly Column[] = [
  { label: 'Usuário', className: 'w-[46%]' },
  { label: 'Função' },
  { label: 'Criado em' },
  { label: 'Ações', className: 'w-[8rem]' },
]

export const ADMIN_USER_ROW = `${ROW} card:grid-cols-[minmax(0,1fr)_auto] tiny:grid-cols-1`

interface AdminUserTableProps {
  users: readonly AdminUser[]
  ownId: string
  onEdit: (user: AdminUser) => void
  onDelete: (user: AdminUser) => void
}

export function AdminUserTable({ users, ownId, onEdit, onDelete }: AdminUserTableProps) {
  return (
    <ListTable
      label="Usuários com acesso"
      columns={ADMIN_USER_TABLE_COLUMNS}
      items={users}
      rowClassName={() => ADMIN_USER_ROW}
      renderCells={(user) => (
        <AdminUserCells user={user} isMe={user.id === ownId} onEdit={onEdit} onDelete={onDelete} />
      )}
    />
  )
}
