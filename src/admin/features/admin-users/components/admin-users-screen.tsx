import { Plus } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '#admin/components/button.tsx'
import { Card } from '#admin/components/card.tsx'
import { ConfirmDialog } from '#admin/components/confirm-dialog.tsx'
import { EmptyState } from '#admin/components/empty-state.tsx'
import { ListToolbar, useSearchOffer } from '#admin/components/list-toolbar.tsx'
import { LoadFailure } from '#admin/components/load-failure.tsx'
import { PageHeading } from '#admin/components/page-heading.tsx'
import { SearchInput } from '#admin/components/search-input.tsx'
import { useFocusAfterRemoval } from '#admin/components/use-focus-after-removal.ts'
import { useCurrentUser } from '#admin/lib/current-user.tsx'
import { matchesSearch } from '#admin/lib/search-text.ts'
import type { AdminUser } from '#contract/accounts.ts'
import { formatCount } from '#contract/format-count.ts'
import { useDeleteAdminUser } from '../api/delete-admin-user.ts'
import { useAdminUsers } from '../api/list-admin-users.ts'
import { AdminUserModal } from './admin-user-modal.tsx'
import { AdminUserSkeleton } from './admin-user-skeleton.tsx'
import { AdminUserTable } from './admin-user-table.tsx'

/** `onDeletedSelf` leaves the dashboard: whoever deletes their own account has no place in it. */
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
      {users.data ? (
        <Card>
          <AdminUserList
            users={users.data}
            onEdit={setEdited}
            onDeletedSelf={onDeletedSelf}
            addButton={addButton}
          />
        </Card>
      ) : users.isError ? (
        <Card>
          <LoadFailure
            error={users.error}
            fallback="Não deu para carregar os usuários."
            onRetry={() => users.refetch()}
          />
        </Card>
      ) : (
        <AdminUserSkeleton />
      )}
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
              ? 'Confira a busca ou adicione um administrador.'
              : 'Adicione quem vai cuidar do site com você.'
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
              ? `${userToDelete.email} é a sua conta. Você sai do painel e perde o acesso agora.`
              : `${userToDelete.email} perde o acesso agora.`
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
