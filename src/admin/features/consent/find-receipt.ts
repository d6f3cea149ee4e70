import { useMutation } from '@tanstack/react-query'
import { useServices } from '#admin/lib/services.tsx'
import type { FoundRecord } from '#contract/consent.ts'

/** The choices of one browser, by the code that its visitor reads. */
export function useFindReceipt() {
  const { admin } = useServices()
  return useMutation({
    mutationFn: async (code: string) => {
      const query = new URLSearchParams({ code })
      return (await admin<{ records: FoundRecord[] }>(`/consent/records?${query}`)).records
    },
  })
}
