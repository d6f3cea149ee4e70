/** Less than half of what the page takes: characters may double as JSON. */
const MAX_LENGTH = 6_000

export type Pairs = [key: string, value: string][]

/** A storage that is a list in memory, and as small as the page allows. */
export function keptStorage(kept: Pairs, onChange: () => void): { storage: Storage; pairs(): Pairs } {
  const items = new Map(kept)
  const methods = {
    getItem: (key: string) => items.get(String(key)) ?? null,
    setItem: (key: string, value: string) => {
      const size = [...items].reduce(
        (sum, [name, text]) => sum + (name === String(key) ? 0 : name.length + text.length),
        String(key).length + String(value).length,
      )
      if (size > MAX_LENGTH) throw new DOMException('The storage of this tag is full.', 'QuotaExceededError')
      items.set(String(key), String(value))
      onChange()
    },
    removeItem: (key: string) => {
      items.delete(String(key))
      onChange()
    },
    clear: () => {
      items.clear()
      onChange()
    },
    key: (index: number) => [...items.keys()][index] ?? null,
  }
  const storage = new Proxy(methods, {
    get: (target, key) => {
      if (key === 'length') return items.size
      return typeof key === 'string' && items.has(key) ? items.get(key) : Reflect.get(target, key)
    },
    set: (_target, key, value) => {
      methods.setItem(String(key), value)
      return true
    },
    deleteProperty: (_target, key) => {
      methods.removeItem(String(key))
      return true
    },
    has: (target, key) => items.has(String(key)) || Reflect.has(target, key),
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: (_target, key) =>
      items.has(String(key))
        ? { value: items.get(String(key)), writable: true, enumerable: true, configurable: true }
        : undefined,
  })
  return { storage: storage as unknown as Storage, pairs: () => [...items] }
}
