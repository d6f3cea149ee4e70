import { TAG_REPORT_PATH, type TagReport } from '#contract/tag-report.ts'
import { sendJson } from './send-json.ts'

export function sendReport(report: TagReport): void {
  sendJson(TAG_REPORT_PATH, report)
}
