package main

import (
	"fmt"
	"go/types"
	"strings"

	"github.com/99designs/gqlgen/codegen/templates"
)

// writeResolvers writes what package graphql does for every resource.
func writeResolvers() error {
	p, err := load("billing/...", "store", "delivery/...", "service/...", "graphql/node", "graphql/gen")
	if err != nil {
		return err
	}
	w := &resolvers{project: p, out: newFile("resources_gen.go", module+"graphql")}
	if w.byHand, err = handwritten("."); err != nil {
		return err
	}
	w.out.use(contextPath)
	w.each("Query", w.query)
	w.each("Mutation", w.mutation)
	w.payloads()
	for _, r := range p.resources {
		w.attributes(r)
	}
	if len(w.missing) > 0 {
		return fmt.Errorf("write these resolvers by hand, or their operations as the others are: %s", strings.Join(w.missing, ", "))
	}
	return w.out.write()
}

// resolvers is the file of resolvers in the making.
type resolvers struct {
	*project
	out     *file
	byHand  map[string]bool
	missing []string
}

// each calls do for the methods of a generated interface that nobody has written
// by hand, and notes those that it cannot write.
func (w *resolvers) each(of string, do func(name string, s *types.Signature) bool) {
	resolver := w.lookup("graphql/gen", of+"Resolver").Type().Underlying().(*types.Interface)
	for i := range resolver.NumMethods() {
		method := resolver.Method(i)
		if w.byHand[lower(of)+"."+method.Name()] {
			continue
		}
		if !do(method.Name(), method.Type().(*types.Signature)) {
			w.missing = append(w.missing, lower(of)+"."+method.Name())
		}
	}
}

// function begins a method.
func (w *resolvers) function(receiver, name string, s *types.Signature) {
	var parameters []string
	for i := range s.Params().Len() {
		parameters = append(parameters, s.Params().At(i).Name()+" "+w.out.text(s.Params().At(i).Type()))
	}
	w.out.add("\nfunc (r %s) %s(%s) (%s, error) {\n", receiver, name, strings.Join(parameters, ", "), w.out.text(s.Results().At(0).Type()))
}

// query writes a query that finds one, lists, or pages.
func (w *resolvers) query(name string, s *types.Signature) bool {
	r, shape := w.resource(nodeName(s.Results().At(0).Type())), parameterNames(s)
	if r == nil {
		return false
	}
	table, nodes := w.out.of(r.table), "r.reader."+r.many
	var body string
	switch shape {
	case "id":
		body = fmt.Sprintf("row, err := %s.Get(ctx, r.q(), %s(id))\nreturn one(row, err, %s)", table, w.out.text(r.id), nodes)
	case "id code":
		body = fmt.Sprintf("row, err := byIDOrCode(ctx, r.resolver, %s, id, code, %s.ByCode)\nreturn one(row, err, %s)", table, table, nodes)
	case "filter limit":
		body = fmt.Sprintf("return list(ctx, r.resolver, %s, %s, filter, limit)", table, nodes)
	case "first after filter":
		body = fmt.Sprintf("id := func(n *%s.%s) int64 { return int64(n.ID) }\nreturn connect(ctx, r.resolver, %s, %s, id, first, after, filter)",
			w.out.use(module+"graphql/node"), r.name, table, nodes)
	default:
		return false
	}
	w.function("query", name, s)
	w.out.add("%s\n}\n", body)
	return true
}

// mutation writes a mutation that passes its arguments to an operation.
func (w *resolvers) mutation(name string, s *types.Signature) bool {
	payload, _ := elem(s.Results().At(0).Type()).(*types.Named)
	if payload == nil {
		return false
	}
	r, _ := w.payload(payload)
	if r == nil {
		return false
	}
	call, parameters := w.operation(r, name)
	if len(parameters) != s.Params().Len()-1 {
		return false
	}
	for i, parameter := range parameters {
		argument := w.argument(r, s.Params().At(i+1), parameter, strings.HasSuffix(name, "Create"))
		if argument == "" {
			return false
		}
		call += ", " + argument
	}
	w.function("mutation", name, s)
	w.out.add("return r.%s(%s))\n}\n", lower(payload.Obj().Name()), call)
	return true
}

// operation begins the call of the operation of a mutation and returns its other
// parameters: a method of an area, or else one of the operation.Resource.
func (w *resolvers) operation(r *resource, mutation string) (call string, parameters []types.Type) {
	verb := strings.TrimPrefix(mutation, templates.ToGo(r.name))
	areas := w.lookup("service", "Service").Type().Underlying().(*types.Struct)
	for i := range areas.NumFields() {
		area := areas.Field(i)
		method, _, _ := types.LookupFieldOrMethod(area.Type(), true, area.Pkg(), r.row.Obj().Name()+verb)
		if method != nil && !area.Embedded() {
			return fmt.Sprintf("r.service.%s.%s(ctx", area.Name(), method.Name()), parametersAfter(method, 1)
		}
	}
	for _, object := range w.variables("Resource") {
		method, _, _ := types.LookupFieldOrMethod(object.Type(), true, object.Pkg(), verb)
		if _, isFunc := method.(*types.Func); isFunc && types.Identical(arguments(object.Type(), "Resource")[0], r.row) {
			return fmt.Sprintf("%s.%s(ctx, r.service.Runner", w.out.of(object), verb), parametersAfter(method, 2)
		}
	}
	return "", nil
}

// parametersAfter are the types of the parameters of a method after the first n,
// without those that may be left out.
func parametersAfter(method types.Object, n int) (found []types.Type) {
	s := method.Type().(*types.Signature)
	for i := n; i < s.Params().Len() && !(s.Variadic() && i == s.Params().Len()-1); i++ {
		found = append(found, s.Params().At(i).Type())
	}
	return found
}

// argument passes an argument of a mutation as a parameter of an operation; it is
// empty if that takes more than a conversion.
func (w *resolvers) argument(r *resource, from *types.Var, to types.Type, creating bool) string {
	optional, sent := isPointer(from.Type())
	_, isEdit := to.Underlying().(*types.Signature)
	switch editor := r.row.Obj().Name(); {
	case types.Identical(from.Type(), to):
		return from.Name()
	case optional && types.Identical(sent, to):
		return fmt.Sprintf("valueOf(%s)", from.Name())
	case from.Type() == types.Typ[types.Int64] && to.Underlying() == types.Typ[types.Int64]:
		return fmt.Sprintf("%s(%s)", w.out.text(to), from.Name())
	case isEdit && w.byHand["edit"+editor]:
		return fmt.Sprintf("edit%s(attributes, %t)", editor, creating)
	case isEdit && !optional:
		return fmt.Sprintf("edit(set%s, attributes, %t)", editor, creating)
	}
	return ""
}

// payloads writes what makes the payload of a mutation of what an operation
// returned, for all that have one resource and the errors.
func (w *resolvers) payloads() {
	resolver := w.lookup("graphql/gen", "MutationResolver").Type().Underlying().(*types.Interface)
	for i := range resolver.NumMethods() {
		payload, _ := elem(resolver.Method(i).Type().(*types.Signature).Results().At(0).Type()).(*types.Named)
		if payload == nil {
			continue
		}
		r, field := w.payload(payload)
		name := lower(payload.Obj().Name())
		if r == nil || w.byHand["mutation."+name] {
			continue
		}
		w.out.add("\nfunc (r mutation) %s(row *%s, err error) (*%s, error) {\np := &%[3]s{}\n", name, w.out.text(r.row), w.out.text(payload))
		w.out.add("p.%s, p.Errors, p.UserErrors, err = outcome(row, err, r.reader.%s)\nreturn p, err\n}\n", field, r.many)
	}
}

// payload returns the resource in a payload, and the name of its field.
func (w *resolvers) payload(payload *types.Named) (found *resource, field string) {
	fields, ok := payload.Underlying().(*types.Struct)
	if !ok || fields.NumFields() != 3 {
		return nil, ""
	}
	for i := range fields.NumFields() {
		if pointer, ok := fields.Field(i).Type().(*types.Pointer); ok {
			found, field = w.resource(nodeName(pointer)), fields.Field(i).Name()
		}
	}
	return found, field
}

// nodeName is the name of the type of package node that a pointer, a list or a
// connection leads to.
func nodeName(t types.Type) string {
	if list, ok := t.(*types.Slice); ok {
		t = list.Elem()
	}
	named, ok := elem(types.Unalias(t)).(*types.Named)
	if !ok {
		return ""
	}
	if args := named.TypeArgs(); args.Len() == 1 {
		named, _ = types.Unalias(args.At(0)).(*types.Named)
	}
	return named.Obj().Name()
}

func elem(t types.Type) types.Type {
	if pointer, ok := t.(*types.Pointer); ok {
		return types.Unalias(pointer.Elem())
	}
	return t
}

// parameterNames are those of a resolver, but for the context.
func parameterNames(s *types.Signature) string {
	var names []string
	for i := 1; i < s.Params().Len(); i++ {
		names = append(names, s.Params().At(i).Name())
	}
	return strings.Join(names, " ")
}
