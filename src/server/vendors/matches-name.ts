import type { NameRule } from './vendor.ts'

export function matchesName(rule: NameRule, name: string): boolean {
  if ('exact' in rule) return name === rule.exact
  return 'prefix' in rule ? name.startsWith(rule.prefix) : rule.pattern.test(name)
}
