package program

import "strings"

// A builtin may be called by a program. What is not listed is refused: because
// it reaches outside of the program (env, input, now), or because one step of
// it can take too long or too much (transpose, fromstream, jn).
type builtin struct {
	// keeps is set where the result is a part of the input or a small thing. It
	// needs no check, which matters on the left of an assignment, where only
	// paths may stand.
	keeps bool
	// before guards the input, first the first argument.
	before, first string
	// regexp means that the first argument is a regular expression.
	regexp bool
}

var builtins = map[string]builtin{}

func init() {
	add := func(b builtin, names string) {
		for name := range strings.FieldsSeq(names) {
			builtins[name] = b
		}
	}
	add(builtin{keeps: true}, `
		empty error select recurse first last limit skip until while repeat range paths path not isempty any all
		values nulls arrays objects iterables booleans numbers finites normals strings scalars
		length utf8bytelength has in type startswith endswith toboolean abs min max min_by max_by bsearch IN mktime
		sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh floor round nearbyint rint ceil trunc significand
		fabs sqrt cbrt exp exp10 exp2 expm1 log log10 log1p log2 logb gamma tgamma lgamma erf erfc atan2 copysign drem
		fdim fmax fmin fmod hypot nextafter nexttoward remainder ldexp scalb scalbln pow fma
		infinite nan isfinite isinfinite isnan isnormal`)
	add(builtin{keeps: true, first: guardPath}, "getpath")
	add(builtin{keeps: true, first: guardIndex}, "nth")
	add(builtin{first: guardPath}, "setpath")
	add(builtin{first: guardSmall}, "join contains indices index rindex ltrimstr rtrimstr trimstr strftime")
	add(builtin{before: guardPiece, first: guardSmall}, "split")
	add(builtin{before: guardSmall}, "inside")
	add(builtin{before: guardText, first: guardSmall}, "strptime")
	add(builtin{before: guardText}, "fromdateiso8601 fromdate tonumber")
	add(builtin{before: guardPiece}, "fromjson explode")
	add(builtin{before: guardText, regexp: true}, "test match capture scan splits sub gsub")
	add(builtin{}, `
		keys add map map_values to_entries from_entries with_entries sort_by group_by unique_by sort unique
		flatten reverse combinations walk tostring tojson ascii_downcase ascii_upcase ltrim rtrim trim implode
		format del delpaths pick todateiso8601 todate gmtime frexp modf INDEX JOIN`)
}

// known are further names that jq has. A program may not give its own functions
// such a name, or one could not tell which is meant.
var known = map[string]bool{}

func init() {
	for name := range strings.FieldsSeq(`env input inputs input_filename input_line_number debug stderr halt halt_error
		modulemeta get_search_list builtins now localtime strflocaltime transpose tostream fromstream truncate_stream
		jn yn j0 j1 y0 y1 limit getpath splits ascii keys_unsorted ltrimstr tojson $__loc__ $ENV`) {
		known[name] = true
	}
}
