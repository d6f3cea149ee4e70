import { Lock, Pencil, Plus, Trash2 } from 'lucide-react'
import { memo, type ReactNode, useState } from 'react'
import { Button, IconButton } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { SearchInput } from '#admin/components/inputs.tsx'
import { Chip, EmptyState } from '#admin/components/message.tsx'
import { ConfirmDialog } from '#admin/components/modal.tsx'
import { PageHeading, useFocusAfterRemoval } from '#admin/components/page-heading.tsx'
import { QueryView, Skeleton } from '#admin/components/query-view.tsx'
import {
  CELL,
  type Column,
  LABELLED_CELL,
  ListTable,
  ListToolbar,
  matchesSearch,
  ROW,
  useSearchOffer,
} from '#admin/components/table.tsx'
import { EmailAddress, TimeStamp } from '#admin/components/text.tsx'
import { useCurrentUser } from '#admin/lib/services.tsx'
import { type AdminUser, PRINCIPAL_CANNOT_BE_DELETED, roleLabel } from '#contract/accounts.ts'
import { formatCount } from '#contract/format-count.ts'
import { AdminUserModal } from './admin-user-form.tsx'
import { useAdminUsers, useDeleteAdminUser } from './api.ts'

/** `onDeletedSelf` leaves the dashboard after the person deleted their own account. */
export function AdminUsersScreen({ onDeletedSelf }: { onDeletedSelf: () => void }) {
  const users = useAdminUsers()
  /** `null` adds one, `undefined` means that the form is closed. */
  const [edited, setEdited] = useState<AdminUser | null | undefined>(undefined)
  const addButton = (
    <Button onClick={() => setEdited(null)}>
      <Plus aria-hidden="true" />
      Adicionar Admin
    </Button>
  )
  return (
    <>
      <PageHeading
        title="Gerenciar Usuários Admin"
        subtitle="Adicione e gerencie usuários com acesso administrativo"
        action={addButton}
      />
      <QueryView
        query={users}
        failure="Não foi possível carregar os usuários."
        loading={<AdminUserSkeleton />}
        frame={(said) => <Card className="mb-4">{said}</Card>}
      >
        {(data) => (
          <Card>
            <AdminUserList
              users={data}
              onEdit={setEdited}
              onDeletedSelf={onDeletedSelf}
              addButton={addButton}
            />
          </Card>
        )}
      </QueryView>
      {edited === undefined ? null : <AdminUserModal user={edited} onClose={() => setEdited(undefined)} />}
    </>
  )
}

interface AdminUserListProps {
  users: AdminUser[]
  onEdit: (user: AdminUser) => void
  onDeletedSelf: () => void
  addButton: ReactNode
}

function AdminUserList({ users, onEdit, onDeletedSelf, addButton }: AdminUserListProps) {
  const me = useCurrentUser()
  const [search, setSearch] = useState('')
  const [userToDelete, setUserToDelete] = useState<AdminUser | null>(null)
  const remove = useDeleteAdminUser(me.id, onDeletedSelf)
  useFocusAfterRemoval(users.length)
  const offered = useSearchOffer(users.length)
  const found = users.filter((user) => matchesSearch(search, [user.email]))
  return (
    <>
      {users.length > 0 ? (
        <ListToolbar
          summary={
            <>
              <b className="font-semibold text-ink">{formatCount(users.length, 'usuário', 'usuários')}</b> com
              acesso
            </>
          }
        >
          {offered ? <SearchInput label="Buscar por e-mail" value={search} onChange={setSearch} /> : null}
        </ListToolbar>
      ) : null}
      {found.length === 0 ? (
        <EmptyState
          title="Nenhum usuário encontrado"
          text={
            search
              ? 'Tente outro e-mail ou adicione um usuário.'
              : 'Adicione quem vai administrar o site com você.'
          }
          action={addButton}
        />
      ) : (
        <AdminUserTable users={found} ownId={me.id} onEdit={onEdit} onDelete={setUserToDelete} />
      )}
      {userToDelete ? (
        <ConfirmDialog
          title="Tem certeza que deseja excluir este usuário?"
          description={
            userToDelete.id === me.id
              ? `${userToDelete.email} é a sua conta. Você vai sair do painel e perder o acesso imediatamente.`
              : `${userToDelete.email} perde o acesso imediatamente.`
          }
          confirmLabel="Excluir"
          onCancel={() => setUserToDelete(null)}
          onConfirm={() => {
            remove.mutate(userToDelete)
            setUserToDelete(null)
          }}
        />
      ) : null}
    </>
  )
}

function AdminUserSkeleton() {
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

const ADMIN_USER_TABLE_COLUMNS: readonly Column[] = [
  { label: 'Usuário', className: 'w-[46%]' },
  { label: 'Função' },
  { label: 'Criado em' },
  { label: 'Ações', className: 'w-[8rem]' },
]

const ADMIN_USER_ROW = `${ROW} card:grid-cols-[minmax(0,1fr)_auto] tiny:grid-cols-1`

interface AdminUserTableProps {
  users: readonly AdminUser[]
  ownId: string
  onEdit: (user: AdminUser) => void
  onDelete: (user: AdminUser) => void
}

function AdminUserTable({ users, ownId, onEdit, onDelete }: AdminUserTableProps) {
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

const ID_SHOWN = 8

interface AdminUserCellsProps {
  user: AdminUser
  isMe: boolean
  onEdit: (user: AdminUser) => void
  onDelete: (user: AdminUser) => void
}

const AdminUserCells = memo(function AdminUserCells({ user, isMe, onEdit, onDelete }: AdminUserCellsProps) {
  return (
    <>
      <td className={CELL}>
        <p className="flex flex-wrap items-center gap-x-2 leading-snug font-semibold">
          <EmailAddress value={user.email} />
          {user.is_principal ? <Tag>Principal</Tag> : null}
          {isMe ? <Tag>Você</Tag> : null}
        </p>
        <p title={user.id} className="font-mono text-sm text-text-2">
          {user.id.slice(0, ID_SHOWN)}…
        </p>
        {user.is_principal ? (
          <p className="mt-0.5 text-sm text-pretty text-text-2">{PRINCIPAL_CANNOT_BE_DELETED}</p>
        ) : null}
      </td>
      <td data-label="Função" className={LABELLED_CELL}>
        <RoleBadge role={user.role} />
      </td>
      <td data-label="Criado em" className={`${LABELLED_CELL} card:min-w-24`}>
        <TimeStamp value={user.created_at} className="text-[0.9375rem]" />
      </td>
      <td
        className={`${CELL} text-right whitespace-nowrap card:col-start-2 card:row-start-1 card:self-start tiny:col-start-1 tiny:row-auto tiny:text-left`}
      >
        <IconButton label={`Editar: ${user.email}`} onClick={() => onEdit(user)}>
          <Pencil aria-hidden="true" />
        </IconButton>
        {user.is_principal ? (
          <span className="inline-grid size-11 place-items-center text-text-2">
            <Lock className="size-5" role="img" aria-label="Usuário protegido: não pode ser excluído" />
          </span>
        ) : (
          <IconButton label={`Excluir: ${user.email}`} danger onClick={() => onDelete(user)}>
            <Trash2 aria-hidden="true" />
          </IconButton>
        )}
      </td>
    </>
  )
})

function Tag({ children }: { children: string }) {
  return <span className="chip rounded-md bg-[#e9ebe2] px-2 text-xs/5 font-semibold">{children}</span>
}

function RoleBadge({ role }: { role: string }) {
  return <Chip look={role === 'super_admin' ? 'ink' : 'outline'}>{roleLabel(role)}</Chip>
}
