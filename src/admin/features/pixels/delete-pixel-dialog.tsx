import { ConfirmDialog } from '#admin/components/modal.tsx'

interface DeletePixelDialogProps {
  name: string
  onCancel: () => void
  onConfirm: () => void
}

export function DeletePixelDialog({ name, onCancel, onConfirm }: DeletePixelDialogProps) {
  return (
    <ConfirmDialog
      title="Tem certeza que deseja excluir este pixel?"
      description={`${name} sai do site na próxima visita. Você pode restaurar pela Lixeira por 30 dias.`}
      confirmLabel="Excluir"
      onCancel={onCancel}
      onConfirm={onConfirm}
    />
  )
}
