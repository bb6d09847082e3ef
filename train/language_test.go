package train

import "parley/recipe/language"

// lang is the language of the tests' recipes.
var lang = language.New()
