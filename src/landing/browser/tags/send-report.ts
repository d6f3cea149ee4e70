import { TAG_REPORT_PATH, type TagReport } from '#contract/tag-report.ts'

export function sendReport(report: TagReport): void {
  navigator.sendBeacon(TAG_REPORT_PATH, new Blob([JSON.stringify(report)], { type: 'application/json' }))
}
