// Light or dark: what the system says, unless the reader has said otherwise.
export type Theme = 'system' | 'light' | 'dark'

const stored = (): Theme => {
  try {
    return (localStorage.getItem('theme') as Theme | null) ?? 'system'
  } catch {
    return 'system'
  }
}

let theme = stored()

export const currentTheme = () => theme

export const isDark = () => theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)

export function setTheme(next: Theme) {
  theme = next
  try {
    localStorage.setItem('theme', next)
  } catch {
    // A file opened from disk may have no storage; the choice then lasts as long as the page.
  }
  show()
}

export function nextTheme(): Theme {
  const next = isDark() ? 'light' : 'dark'
  setTheme(next)
  return next
}

export function show() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light'
  dispatchEvent(new Event('themechange'))
}

export function watchSystem() {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', show)
  show()
}
