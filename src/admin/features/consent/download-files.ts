import { useMutation } from '@tanstack/react-query'
import { notifyFailure } from '#admin/components/notify.ts'
import { saveFile } from '#admin/lib/save-file.ts'
import { useServices } from '#admin/lib/services.tsx'

interface DayRange {
  from: string
  to: string
}

/** The figures of a period, as a spreadsheet reads them. */
export function useSaveFigures() {
  const { admin } = useServices()
  return useMutation({
    mutationFn: async (range: DayRange) =>
      saveFile(
        await admin.file(`/consent/export?${new URLSearchParams({ ...range })}`),
        `consentimento-${range.from}-a-${range.to}.csv`,
      ),
    onError: (error) => notifyFailure('Não deu para baixar os números.', error),
  })
}

/** The dossier of a period, to be read and printed, or its JSON. */
export function useSaveDossier() {
  const { admin } = useServices()
  return useMutation({
    mutationFn: async ({ format, ...range }: DayRange & { format: 'html' | 'json' }) =>
      saveFile(
        await admin.file(`/consent/dossier?${new URLSearchParams({ ...range, format })}`),
        `dossie-${range.from}-a-${range.to}.${format}`,
      ),
    onError: (error) => notifyFailure('Não deu para gerar o dossiê.', error),
  })
}

/** The sealed records of a period, for whoever checks them without us. */
export function useSaveRecords() {
  const { admin } = useServices()
  return useMutation({
    mutationFn: async (range: DayRange) =>
      saveFile(
        await admin.file(`/consent/records/export?${new URLSearchParams({ ...range })}`),
        `registros-${range.from}-a-${range.to}.jsonld`,
      ),
    onError: (error) => notifyFailure('Não deu para baixar os registros.', error),
  })
}
